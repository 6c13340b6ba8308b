/** Only the beginning of a long text is checked. Characters. */
const maxChecked = 200;

/** Shannon entropy of a text's beginning in bits for each character. */
function measureEntropy(whole: string): number {
  const text = whole.slice(0, maxChecked);
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Hexadecimal with the length of a digest: MD5, SHA-1 (git), SHA-224 to SHA-512. */
export function isHash(text: string): boolean {
  return /^(?:[0-9a-f]+|[0-9A-F]+)$/.test(text) && [32, 40, 48, 56, 64, 96, 128].includes(text.length);
}

/**
 * The share of neighbours that change between lower case, upper case, digits and signs. A capital before a small letter
 * begins a word and does not count. About 0.45 in random letters and digits, under 0.25 in names.
 */
function measureContrast(whole: string): number {
  const text = whole.slice(0, maxChecked);
  let changes = 0;
  for (let i = 1; i < text.length; i++) {
    const before = classifyCharacter(text.charCodeAt(i - 1));
    const after = classifyCharacter(text.charCodeAt(i));
    if (before !== after && !(before === 2 && after === 1)) changes++;
  }
  return changes / Math.max(1, text.length - 1);
}

function classifyCharacter(code: number): number {
  if (code >= 97 && code <= 122) return 1;
  if (code >= 65 && code <= 90) return 2;
  return code >= 48 && code <= 57 ? 3 : 4;
}

/** Whether letters and digits are mixed as in random text. */
export function hasContrast(text: string): boolean {
  return /[0-9]/.test(text) && /[A-Za-z]/.test(text) && measureContrast(text) >= 0.2;
}

/** Whether a value looks generated; short ones need a digit, long ones enough different letters. */
export function isLikelyRandom(text: string): boolean {
  if (text.length < 8) return false;
  const letters = /[A-Za-z]/.test(text);
  if (letters && /[0-9]/.test(text))
    return text.length < 16 ? measureContrast(text) >= 0.15 : measureEntropy(text) >= 2.8;
  return (
    letters &&
    /[a-z]/.test(text) &&
    /[A-Z]/.test(text) &&
    text.length >= 16 &&
    (measureContrast(text) >= 0.3 || isJumbled(text)) &&
    measureEntropy(text) >= 3.5
  );
}

/** Sixteen letters or more, small ones and capitals, of which words are no third: a name in camel case has more. */
export function isJumbled(whole: string): boolean {
  const text = whole.slice(0, maxChecked);
  if (!/^[A-Za-z]{16,}$/.test(text) || !/[a-z]/.test(text) || !/[A-Z]/.test(text)) return false;
  const words = text.match(/[A-Z]?[a-z]{3,}/g) ?? [];
  const wordy = words.filter((word) => /[aeiouy]/i.test(word) && !/[^aeiouy]{4}/i.test(word)).join("").length;
  return wordy < text.length / 3;
}

/** A space for each letter that is encoded in URLs, HTML or source code: with "%20" between them they are words. */
export const stripEncoding = (text: string): string =>
  text.replace(/%(?:25)*[2-7][0-9a-f]|&#?x?[0-9a-z]{2,6};|\\{1,4}u00[2-7][0-9a-f]/gi, " ");

/**
 * Whether a text is made of words and small numbers: an identifier, a slug, a file name, a version. Words have vowels
 * and at least three letters.
 */
export function isLikelyWords(text: string): boolean {
  const parts = stripEncoding(text.slice(0, maxChecked))
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+|[0-9])([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .flatMap((part) => part.split(/(?<=[A-Za-z]{3,})(?=[0-9]{1,4}$)|(?<=^[0-9]{1,4})(?=[A-Za-z]{3,}$)/))
    .filter((part) => part !== "");
  if (parts.length === 0) return true;
  let words = 0;
  let all = 0;
  for (const part of parts) {
    all += part.length;
    if (/^[0-9]{1,4}$/.test(part) || /^v[0-9]{1,3}$/.test(part)) words += part.length;
    else if (/^[A-Za-z]{1,2}$/.test(part)) words += parts.length <= text.length / 4 ? part.length : 0;
    else if (/^[A-Za-z]{1,3}[0-9]{1,2}$/.test(part)) words += parts.length >= 3 ? part.length : 0;
    else if (/^[A-Za-z]{3,16}$/.test(part) && /[aeiouy]/i.test(part) && !/[^aeiouy]{6}/i.test(part))
      words += part.length;
  }
  return words >= all * 0.85;
}

/** Whether a token cannot be made of words: of letters and digits, well mixed. */
export function isRandomToken(token: string): boolean {
  if (!/[0-9]/.test(token) || !/[A-Za-z]/.test(token) || isLikelyWords(token)) return false;
  // Dashes and underscores join words; they do not make a token random.
  const letters = token.replace(/[^A-Za-z0-9]/g, "");
  const mixed = /[a-z]/.test(token) && /[A-Z]/.test(token);
  return mixed
    ? measureContrast(letters) >= 0.3 && measureEntropy(token) >= 3.8
    : measureContrast(letters) >= 0.3 && measureEntropy(token) >= 3.5;
}

/** The text before a position on its line, at max `max` characters: a line may be as long as the text. */
export function sliceLineBefore(text: string, at: number, max: number): string {
  const before = text.slice(Math.max(0, at - max), at);
  return before.slice(before.lastIndexOf("\n") + 1);
}
