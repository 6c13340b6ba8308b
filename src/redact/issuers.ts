import {
  hasContrast,
  isHash,
  isJumbled,
  isLikelyRandom,
  isLikelyWords,
  sliceLineBefore,
} from "./checks/randomness.ts";
import { isNoValue, isReference } from "./checks/values.ts";
import type { SecretSpan } from "./patterns/rule.ts";
import { expandWordList } from "./words.ts";

/**
 * Services whose keys have no shape of their own: only the name before one tells. Names that are also words, such as
 * "linear" and "render", are left out. Many are from the rules of gitleaks (https://github.com/gitleaks/gitleaks, MIT
 * License, copyright Zachary Rice) and kingfisher (https://github.com/mongodb/kingfisher, Apache License 2.0).
 */
export const issuers = expandWordList("issuer");

/** A key is at most so far behind the name of its issuer. Characters. */
const maxKeyDistanceChars = 64;
const token = /[A-Za-z0-9][A-Za-z0-9_.+/=~-]{11,400}/y;
/** A name and its sign in front of the value: `KEY=` of `ANTHROPIC_API_KEY=...` is no part of the key. */
const nameBefore = /^[A-Za-z_]{1,40}=[^=]/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const credential = /key|token|secret|pass|pwd|auth|bearer|credential|private|access|\bpat\b|api[^a-z]*$/i;
/** A name that ends at a sign which gives it a value. */
const assigned =
  /^[\w.-]*\\?["'`]?\]?[ \t]{0,4}(?::{1,3}=|[?]=|=>|[:=]|,)[ \t]{0,4}\\?["'`]?$|^[\w.-]*[ \t]\\?["'`]$/;
/** What is no key of that issuer: names of things, places, versions and digests. */
const other =
  /sha|commit|rev|hash|digest|version|\bref|release|build|url|host|path|integrity|checksum|public|publishable|fingerprint|cursor|nonce|trace|span|event|request|session|signature|(?:^|[^a-z])ids?[^a-z]*$|Id[^a-z]*$|[/\\@<>{}()]/;

/** The key behind the name of the service that issued it, on its line or on the next one, and where to go on. */
export function findIssuedKey(text: string, start: number): { spans: SecretSpan[]; searched: number } {
  const none = { spans: [], searched: start };
  // "reanimated" is no issuer, and neither is a part of a path or an address.
  if (/[A-Za-z/@]/.test(text[start - 1] ?? "") && !/[a-z][A-Z]/.test(text.slice(start - 1, start + 1)))
    return none;
  for (let at = start; at < start + maxKeyDistanceChars && at < text.length; at++) {
    if (!/[A-Za-z0-9]/.test(text[at]!)) continue;
    token.lastIndex = at;
    const value = token.exec(text)?.[0].replace(/[.=]*$/, (signs) => signs.replace(/\./g, "")) ?? "";
    if (
      value === "" ||
      nameBefore.test(value) ||
      !isKey(text.slice(start, at), value, text[at + value.length] ?? "")
    ) {
      while (/[A-Za-z0-9]/.test(text[at] ?? "")) at++;
      if ((text.slice(start, at).match(/\n/g)?.length ?? 0) > 1) return none;
      continue;
    }
    if (other.test(sliceLineBefore(text, start, 40).replace(/^.*[\s,;]/, ""))) return none;
    const end = at + value.length;
    return { spans: [{ start: at, end, next: end }], searched: end };
  }
  return none;
}

/** @param between the issuer's name, and what stands between it and the value */
function isKey(between: string, value: string, after: string): boolean {
  if (other.test(between) || /[([{<$\\/@]/.test(after) || isNoValue(value) || isReference(value))
    return false;
  const isNamed = credential.test(between);
  const isAssigned = assigned.test(between);
  if (!isNamed && !isAssigned) return false;
  if (uuid.test(value)) return isAssigned;
  if (isHash(value)) return isNamed || isAssigned;
  const plain = value.replace(/[^A-Za-z0-9]/g, "");
  if (plain.length < 16 || isLikelyWords(value)) return false;
  // Said to be its key, right before it: then it need not be well mixed.
  if (isNamed && isAssigned && /[0-9]/.test(plain) && isLikelyRandom(plain)) return true;
  return isLikelyRandom(plain) && (hasContrast(plain) || isJumbled(plain));
}
