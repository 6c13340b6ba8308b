import { createHash } from "node:crypto";
import { expandWordList } from "../words.ts";
import { hasContrast, isHash, isLikelyRandom, isLikelyWords } from "./randomness.ts";

/** Whether the value of a revealing name ("db_password", "apiKey") is a secret. */
export function isSecretValue(kind: "password" | "token", value: string): boolean {
  if (value.length < 4 || isNoValue(value)) return false;
  return kind === "password" ? isPassword(value) : !isReference(value) && isToken(value, true);
}

/** What has a key that anybody may know: a row, a cache, a map. */
const plainKeys =
  /(?:public|publishable|pub|anon|site|cache|primary|foreign|sort|partition|range|composite|natural|surrogate|idempotency|dedupe?|object|row|record|column|field|group|index|idx|bucket|shard|slot|lock|queue|job|task|event|message|request|trace|session|session_store|build|hash|digest|map|dict|json|item|entry|node|list|tree|react|render|host|known|state|storage|query|lookup|search|file|content|blob|chunk|asset|layer|image|artifact|bundle|module|package|dependency|commit|version|source|lang|translation|i18n|config|schema|route|path|url|prompt|embedding|fingerprint|model|feature|pgp|gpg|ssh|rsa|trusted|websocket)$/i;

/** Whether a name, up to its "key", is of a key that anybody may know. */
export const isPlainKey = (name: string): boolean => plainKeys.test(name.replace(/[ _.-]+$/, ""));

/** Variables, templates, references to a secret store, and placeholders. */
export function isNoValue(value: string): boolean {
  return (
    /\$\{|%(?:25)*24%(?:25)*7b|\{\{|<%|#\{|%\(|\$\(|\uE000|^\$[A-Za-z_]|^%[A-Za-z_]+%$|^[{<[].*[}>\]]$|^[@!]\w+$|^&|^\*[a-z]/i.test(
      value,
    ) ||
    // A file to read it from: `password=@pw.txt`.
    /^@[\w./-]+\.[a-z]{1,5}$/.test(value) ||
    /^(?:[a-z0-9+]+:\/\/|\.{0,2}\/|~\/|arn:|op:\/\/|vault:|ssm:|env:|file:|process\.env|os\.|ENV\[|secrets?\.)/i.test(
      value,
    ) ||
    /^[\w.$]+\(.*\)$|^[~^v=<>]*[0-9]+(?:\.[0-9]+){1,3}(?:-[a-z0-9.]+)?$/.test(value) ||
    // Rules of validation: "required|min:8".
    /^[a-z]+(?:\|[a-z_]+(?::[\w,]+)?)+$/.test(value) ||
    /^(?:x+|\*+|\.+|-+|_+|•+|\?+|#+)$|x{4,}|\*{3,}|\.{3,}|…/i.test(value) ||
    /(?:^|[^a-z])(?:your|my)?[-_ ]?(?:example|placeholder|dummy|sample|change[-_ ]?me|replace[-_ ]?me|redacted|masked|insert[-_ ])|^(?:your|my)[-_ ]|[-_ ]here$/i.test(
      value,
    ) ||
    /^([#%@_*])\1*[A-Z_]+\1+$/.test(value) ||
    noValues.has(value.toLowerCase())
  );
}

const noValues = new Set(expandWordList("noValue"));

/** `response.token`, `config["token"]`, `getToken()`: code, not a value. */
export function isReference(value: string): boolean {
  return (
    /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+!?$/.test(value) &&
    !/^[^.]*[0-9][^.]*\.[^.]*[0-9]/.test(value)
  );
}

/**
 * Words of messages, labels and sentences: a phrase with one of them is not a passphrase. Nearly every English sentence
 * has one.
 */
const sentenceWords = new Set(expandWordList("sentenceWord"));

/** Lower-case words that make no sentence. */
export function isPassphrase(value: string, minWords = 2): boolean {
  const words = value.replace(/[!?.#*]+$/, "").split(" ");
  // Capitals begin sentences and titles; with a number among the words it is neither.
  const hasNumber = words.some((word) => /^[0-9]+$/.test(word));
  return (
    words.length >= minWords &&
    words.length <= 24 &&
    words.every(
      (word) =>
        /^(?:[a-z]{3,14}|[0-9]{1,6}|[a-z]{2,12}[0-9]{1,4})$/.test(hasNumber ? word.toLowerCase() : word) &&
        !sentenceWords.has(word.toLowerCase()),
    ) &&
    words.filter((word) => word.length >= 4).length >= Math.min(2, words.length - 1)
  );
}

/** Whether some words are of a sentence. */
export const isSentence = (words: readonly string[]): boolean =>
  words.some((word) => sentenceWords.has(word.toLowerCase()));

/** Four words or more of which some are of a sentence. */
export function isProse(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => /^[A-Za-z'’]+[,.;:!?]?$/.test(word));
  return words.length >= 4 && words.length >= text.split(/\s+/).length * 0.8;
}

/** Names of algorithms and formats, which a sentence about a password mentions: "sha256", "base64", "argon2id". */
function isAlgorithm(value: string): boolean {
  return /^(?:sha|md|hs|rs|es|ps|aes|rsa|ed|utf|base|bcrypt|scrypt|argon|pbkdf|oauth|http|x|pkcs|hmac|blake|rc|tls|ssl|v|win|k8s|i18n|ipv)-?[0-9]{1,5}(?:-?[a-z0-9]{1,6})?$/i.test(
    value,
  );
}

/** Literal text where only a secret can stand. */
export function isLiteral(value: string): boolean {
  if (value.length < 3 || isNoValue(value) || isReference(value) || /^-/.test(value)) return false;
  if (isNameOfSecret(value)) return false;
  return /\s/.test(value) ? isPassphrase(value) : !/^(?:[A-Z_]{4,}|[0-9]{1,3})$|[({[<]|\)$|=>/.test(value);
}

/** What a person is or a password is, and who else knows one: "log in as student / teacher", "Password: expired". */
const labels = new Set(expandWordList("label"));

/** A word in small letters that says nothing about what stands in its place. */
export function isSecretWord(whole: string): boolean {
  const value = whole.replace(/[.!]$/, "");
  return (
    value.length >= 5 &&
    /^[a-z][a-z0-9!@#*_-]*$/.test(value) &&
    isLiteral(value) &&
    !isCodeNameOfWords(value) &&
    !isSentence([value]) &&
    !labels.has(value)
  );
}

/** "user_password", "new-value". */
const isCodeNameOfWords = (value: string): boolean => /[_-]/.test(value) && isCodeName(value);

/** Capitals, small letters, digits and a sign between them: nothing but a password looks so in a sentence. */
export function hasPasswordShape(value: string): boolean {
  return (
    /^[A-Za-z0-9][A-Za-z0-9!@#%*_+^&~-]{6,60}$/.test(value) &&
    /[a-z]/.test(value) &&
    /[A-Z]/.test(value) &&
    /[0-9]/.test(value) &&
    (/[!@#%*^&~]|-[0-9]{1,4}$|_[0-9]{1,4}$/.test(value) || isJumble(value)) &&
    !/%[0-9A-F]{2}|&amp|&&|@[0-9v^~]|[A-Za-z0-9]@[a-z]+-?[a-z]*$|^[A-Z][a-z]+(?:[A-Z][a-z]+)*#[a-z]/.test(
      value,
    ) &&
    !isNoValue(value)
  );
}

/** A password in the place of a token: with a sign that joins no words, or words that are joined twice. */
const isMixedPassword = (value: string): boolean =>
  hasPasswordShape(value) && (/[!@#%^*&~]/.test(value) || /-[^-]+-/.test(value));

/** Ten letters and digits or more that alternate as in random text. */
function isJumble(value: string): boolean {
  return (
    /^[A-Za-z0-9]{10,60}$/.test(value) &&
    hasContrast(value) &&
    !isLikelyWords(value) &&
    !/^[A-Z0-9]{2}[A-Z0-9]*$/.test(value)
  );
}

/** Alphabets that put no space between words, and how they count: "8 letters at least" is no password. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
const counted = /[0-9]+[年月日位个個字文桁자]/gu;

/** A password that a sentence or a line states: it has a digit or a sign, or cannot be a word. */
export function isStated(whole: string): boolean {
  const value = whole.replace(/[.!?:"'“”»`*_]+$/, "");
  if (value.length < 5 || isNoValue(value) || isReference(value) || isAlgorithm(value)) return false;
  if (/^[0-9]+$/.test(value)) return value.length >= 5;
  if (/^[^\p{L}\p{N}]{2}/u.test(value) || /[^\x21-\x7e\p{L}\p{M}]/u.test(value)) return false;
  if (unspaced.test(value) && !/[0-9]{3}|[!@#%^*+]/.test(value.replace(counted, ""))) return false;
  if (
    /^[\w-]+(?:\/[\w.-]+)+$|\.[a-z]{1,4}$|^[a-z]+(?:-[a-z]+)*$|^[0-9]+(?:st|nd|rd|th|ms|kb|mb|s|px|%)$/i.test(
      value,
    )
  )
    return false;
  if (/^[A-Za-z_]+[0-9]$/.test(value) || /[()[\]{}<>=]|::|->/.test(value)) return false;
  return /[0-9!@#%^*+]/.test(value) && /\p{L}/u.test(value);
}

export function isPassword(value: string): boolean {
  if (/\s/.test(value)) return isPassphrase(value.trim());
  if (/^\p{Lu}\p{Ll}+$/u.test(value) || /^[\p{L}\p{M}]*[^\x00-\x7F][\p{L}\p{M}]*$/u.test(value)) return false;
  // "user-password", "auth.password.required", "passwordHash": a name of the thing, not the thing.
  return !isNameOfSecret(value);
}

function isNameOfSecret(value: string): boolean {
  return /pass(?:word|wd|phrase|code)?|secret|token|pwd|key|credential/i.test(value) && isName(value);
}

/** Joined words without a digit. */
export function isName(value: string): boolean {
  return /^[A-Za-z]+(?:[._:/-][A-Za-z]+)+$/.test(value) || /^[A-Za-z]+[a-z][A-Z][A-Za-z]*$/.test(value);
}

/** `hash2`, `password1`, `newPw2`: names of variables as well as passwords. */
export function isCodeName(value: string): boolean {
  return (
    /^[A-Za-z_$]{1,24}[0-9]{0,1}$/.test(value) ||
    /^[a-z]+(?:[A-Z][a-z]+)+[0-9]?$/.test(value) ||
    (/^[A-Za-z]+(?:[_-][A-Za-z0-9]{2,})+$/.test(value) && isLikelyWords(value))
  );
}

export function isLikelyPath(value: string): boolean {
  return /^[\w.-]+(?:\/[\w.-]+)+$/.test(value) && isLikelyWords(value);
}

/** A UUID identifies a session but does not grant access to one. */
export function isSessionId(value: string): boolean {
  return (
    isLikelyRandom(value) &&
    !isLikelyWords(value) &&
    !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
  );
}

/** In `NAME=value`, variables need `$`: anything else is literal. */
export function isEnvironmentValue(value: string): boolean {
  return (
    value.length >= 4 &&
    !/^(?:[0-9]{1,5}|[0-9.]*\.[0-9.]*)$/.test(value) &&
    !isReference(value) &&
    !/[([{]/.test(value) &&
    !isNameOfSecret(value)
  );
}

export function isFlagValue(value: string): boolean {
  return (
    value.length >= 4 &&
    !value.startsWith("-") &&
    !/^[0-9]+$/.test(value) &&
    (/[0-9!@#%^*+]/.test(value) || isLikelyRandom(value)) &&
    (!isLikelyWords(value) || isMixedPassword(value))
  );
}

/** "shop-eu-01-secret-id": under what name a store keeps it. */
export function isNameInStore(value: string): boolean {
  const parts = value.split(/[-_/.]/);
  return (
    parts.length >= 3 &&
    parts.every((part) => /^[a-z]{1,14}$|^[0-9]{1,4}$|^[a-z]{1,6}[0-9]{1,2}$/.test(part)) &&
    parts.some((part) => /^(?:secret|token|password|passwd|key|credential|vault)s?$/.test(part))
  );
}

export function isToken(value: string, quoted: boolean): boolean {
  const minLength = quoted ? 8 : 12;
  if (isNameInStore(value)) return false;
  if (isMixedPassword(value)) return true;
  if (value.length < minLength || !/[A-Za-z]/.test(value) || isLikelyPath(value)) return false;
  if (isHash(value)) return value.length >= 32;
  // Without separators, words cannot be recognised.
  if (quoted && /^(?:[a-z0-9]{20,}|[A-Z0-9]{20,})$/.test(value)) return true;
  return isLikelyRandom(value) && !isLikelyWords(value);
}

/** Numbers that payment providers publish for tests. */
const testCards = new Set(expandWordList("testCard"));

/** Ranges of the large brands (ISO/IEC 7812): American Express, Visa, Mastercard, Discover, UnionPay, JCB, Diners. */
const brands =
  /^(?:3[47][0-9]{13}|4[0-9]{12}(?:[0-9]{3}){0,2}|5[1-5][0-9]{14}|2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720)[0-9]{12}|6(?:011|5[0-9]{2}|4[4-9][0-9])[0-9]{12}|62[0-9]{14,17}|35(?:2[89]|[3-8][0-9])[0-9]{12}|3(?:0[0-5]|[68][0-9])[0-9]{11})$/;

/** Whether it is the number of a payment card: of a brand, with a valid check digit (Luhn), and not a test number. */
export function isCard(text: string): boolean {
  const number = text.replace(/[ -]/g, "");
  if (!brands.test(number) || testCards.has(number) || new Set(number).size < 4) return false;
  let sum = 0;
  for (let i = 0; i < number.length; i++) {
    const digit = Number(number[number.length - 1 - i]) * (i % 2 === 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const hashSha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest();

/** A private key as wallets export it: Base58 with four bytes of checksum. */
export function isWalletKey(text: string): boolean {
  let value = 0n;
  for (const digit of text) value = value * 58n + BigInt(digits.indexOf(digit));
  const bytes = Buffer.from(value.toString(16).padStart(74, "0"), "hex");
  const [body, checksum] = [bytes.subarray(0, -4), bytes.subarray(-4)];
  return hashSha256(hashSha256(body)).subarray(0, 4).equals(checksum);
}
