import type { SecretMatch } from "../scrubber.ts";
import { isHash, isLikelyRandom, isLikelyWords, isRandomToken, sliceLineBefore } from "./randomness.ts";
import { isNameInStore, isPlainKey } from "./values.ts";

/** A high-entropy token after one of these, on the same line, counts as a secret. */
export const contextTerms = "token secret password passwd credential auth key private access".split(" ");

const maxSecretDistanceChars = 40;
const tokens = /[A-Za-z0-9+/_-]{20,}={0,2}/y;

/** The high-entropy token that follows the context word at `start`, if any. */
export function findSecretNear(text: string, word: string, start: number): SecretMatch | null {
  let end = start + word.length;
  // "monkey", "author": part of another word.
  if (/[A-Za-z]/.test(text[start - 1] ?? "") && /[a-z]/.test(text[start]!)) return null;
  if (/s/i.test(text[end] ?? "")) end++;
  if (/[a-z]/.test(text[end] ?? "")) return null;
  // In small letters they are words of code.
  if ((word === "private" || word === "access") && text.slice(start, end) !== word.toUpperCase()) return null;
  for (let at = end; at < end + maxSecretDistanceChars && at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13 || code === 0xe000) return null;
    tokens.lastIndex = at;
    const found = /[A-Za-z0-9+/_-]/.test(text[at - 1]!) ? null : tokens.exec(text);
    if (found === null) {
      // Skip anything shorter than a token.
      while (/[A-Za-z0-9+/_-]/.test(text[at] ?? "") && at < end + maxSecretDistanceChars) at++;
      if (at > start && /[\r\n\uE000]/.test(text[at] ?? "")) return null;
      continue;
    }
    const match = { rule: "high-entropy", type: "HIGH_ENTROPY", start: at, end: at + found[0].length };
    if (isNameInStore(found[0])) return null;
    if (isUnexplained(text, start, match)) return match;
    return keyTerms.has(word) && beside.test(text.slice(end, at)) && isNamedKey(text, start, match)
      ? match
      : null;
  }
  return null;
}

/** Of those, the ones that are said right before a key, whatever it looks like. */
const keyTerms = new Set(["token", "secret", "key", "private", "access"]);
const beside = /^(?: (?:key|token|code|is))?[\s:=>"'`]{1,4}$/i;

/**
 * A token right after "token", "secret" or "key", which may look like a digest or, where the name says that it is secret,
 * like an identifier.
 */
function isNamedKey(text: string, contextStart: number, { start, end }: SecretMatch): boolean {
  const token = text.slice(start, end).replace(/=+$/, "");
  const line = sliceLineBefore(text, start, start - contextStart + 60);
  const name = sliceLineBefore(text, contextStart, 40);
  // The key of a map or a cache.
  if (!/\w[ _-]?$/.test(name) || isPlainKey(name)) return false;
  if (
    notSecret.test(line) ||
    /\b(?:gpg|pgp|rsa|dsa|ecdsa|ed25519|pub|primary|foreign|row|s3|redis|map)\b/i.test(line)
  )
    return false;
  if (token.length > 200 || /[./\\@#]/.test(text[start - 1] ?? "") || /[/\\(.[]/.test(text[end] ?? ""))
    return false;
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(token))
    return /(?:secret|(?:api|access|private)[ _-]?key)[^A-Za-z]*$/i.test(line);
  // Constants are words with a digit now and then.
  return (
    /^[A-Za-z0-9_-]{20,}$/.test(token) &&
    /[0-9].*[0-9]/.test(token) &&
    isLikelyRandom(token.replace(/[^A-Za-z0-9]/g, "")) &&
    !isLikelyWords(token)
  );
}

/** Excludes high-entropy text that is not secret: digests, identifiers, names, paths, data, public keys. */
function isUnexplained(text: string, contextStart: number, { start, end }: SecretMatch): boolean {
  const token = text.slice(start, end).replace(/=+$/, "");
  if (token.length > 200 || !isRandomToken(token)) return false;
  // "build-cache-<hash>"
  if (/[-_](?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/.test(token)) return false;
  if (isHash(token) || /^[0-9a-f-]+$/i.test(token)) return false;
  if (/^[0-9A-HJKMNP-TV-Z]{26}$/.test(token)) return false;
  if (/^(?:toolu|srvtoolu|msg|req|call|chatcmpl|resp|run|thread|asst|file|agent|sha\d{1,3})[_-]/.test(token))
    return false;
  if (/[./\\@:#]/.test(text[start - 1] ?? "") || /[/\\(.[]/.test(text[end] ?? "")) return false;
  if ((token.match(/\//g)?.length ?? 0) >= 2 && isLikelyWords(token)) return false;
  const line = sliceLineBefore(text, start, start - contextStart + 60);
  if (/:\/\/[^\s"'`<>=]*$/.test(line)) return false;
  return !notSecret.test(line);
}

/** What a line says before a digest, an identifier or data. */
const notSecret =
  /integrity|sha-?\d|md5|checksum|digest|etag|hash|commit|fingerprint|public|ssh-|base64,|uuid|cache|signature|import|nonce|websocket|cursor|\bid\b/i;
