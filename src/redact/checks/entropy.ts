import type { SecretMatch } from "../scrubber.ts";
import { lineBefore } from "./line-before.ts";
import { contrast, entropy, isHash, looksLikeWords } from "./randomness.ts";

/** After one of these, on the same line, a token of high entropy is taken for a secret. */
export const contextTerms = ["token", "secret", "password", "passwd", "credential", "auth", "key"];

const reach = 40;
const tokens = /[A-Za-z0-9+/_-]{20,}={0,2}/y;

/** The token of high entropy that follows a context word which begins at `start`, if there is one. */
export function secretNear(text: string, word: string, start: number): SecretMatch | null {
  let end = start + word.length;
  // "monkey", "author": the word is only a part of another.
  if (/[A-Za-z]/.test(text[start - 1] ?? "") && /[a-z]/.test(text[start]!)) return null;
  if (/s/i.test(text[end] ?? "")) end++;
  if (/[a-z]/.test(text[end] ?? "")) return null;
  for (let at = end; at < end + reach && at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13 || code === 0xe000) return null;
    tokens.lastIndex = at;
    const found = /[A-Za-z0-9+/_-]/.test(text[at - 1]!) ? null : tokens.exec(text);
    if (found === null) {
      // What is shorter than a token is stepped over.
      while (/[A-Za-z0-9+/_-]/.test(text[at] ?? "") && at < end + reach) at++;
      if (at > start && /[\r\n\uE000]/.test(text[at] ?? "")) return null;
      continue;
    }
    const match = { rule: "high-entropy", type: "HIGH_ENTROPY", start: at, end: at + found[0].length };
    return isUnexplained(text, start, match) ? match : null;
  }
  return null;
}

/** What has high entropy and is no secret: digests, identifiers, names, paths, data, public keys. */
function isUnexplained(text: string, contextStart: number, { start, end }: SecretMatch): boolean {
  const token = text.slice(start, end).replace(/=+$/, "");
  if (token.length > 200 || !isRandomToken(token)) return false;
  if (isHash(token) || /^[0-9a-f-]+$/i.test(token)) return false;
  if (/^[0-9A-HJKMNP-TV-Z]{26}$/.test(token)) return false;
  if (/^(?:toolu|srvtoolu|msg|req|call|chatcmpl|resp|run|thread|asst|file|agent|sha\d{1,3})[_-]/.test(token))
    return false;
  if (/[./\\@:#]/.test(text[start - 1] ?? "") || /[/\\(.[]/.test(text[end] ?? "")) return false;
  if ((token.match(/\//g)?.length ?? 0) >= 2 && looksLikeWords(token)) return false;
  const line = lineBefore(text, start, start - contextStart + 60);
  if (/:\/\/[^\s"'`<>=]*$/.test(line)) return false;
  return !/integrity|sha-?\d|md5|checksum|digest|etag|hash|commit|fingerprint|public|ssh-|base64,|uuid|cache|signature|import|nonce|websocket|cursor|\bid\b/i.test(
    line,
  );
}

function isRandomToken(token: string): boolean {
  if (!/[0-9]/.test(token) || !/[A-Za-z]/.test(token) || looksLikeWords(token)) return false;
  // Dashes and underscores tie words together; they make no token random.
  const letters = token.replace(/[^A-Za-z0-9]/g, "");
  const mixed = /[a-z]/.test(token) && /[A-Z]/.test(token);
  return mixed
    ? contrast(letters) >= 0.3 && entropy(token) >= 3.8
    : contrast(letters) >= 0.3 && entropy(token) >= 3.5;
}
