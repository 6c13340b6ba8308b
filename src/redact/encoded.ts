import { gunzipSync, inflateSync } from "node:zlib";
import { buildTextView, type Rewritten, type SearchableText } from "./view.ts";

/** An encoding may stand in another, three deep. */
export const maxDepth = 3;

/** A compressed text is read up to so many bytes. */
const maxUnpacked = 65_536;
/** A text with a secret has no more bytes for each packed one: what has more repeats itself. */
const maxRatio = 40;

/** How much may be decoded of a text, with all that is encoded within: a multiple of its length, and this. */
const freeCharacters = 2 * maxUnpacked;
const charactersPerCharacter = 2;

/** How many decoded characters are left to be searched. */
export interface DecodingBudget {
  left: number;
}

export const createBudget = (text: string): DecodingBudget => ({
  left: freeCharacters + charactersPerCharacter * text.length,
});

/** A text that is encoded in another. */
export interface Encoded extends SearchableText {
  /** Its bounds where it is a block, of which no part can be taken; null for letters that are encoded one by one. */
  block: { start: number; end: number } | null;
}

/** What a text says in encodings, each as a text to search. */
export function findEncodedTexts(text: string, budget: DecodingBudget): Encoded[] {
  const found: Encoded[] = [];
  const letters = decodeLetters(text);
  if (letters !== null && letters.text.length <= budget.left) {
    budget.left -= letters.text.length;
    found.push({ ...letters, block: null });
  }
  for (const block of findBlocks(text, budget)) {
    found.push({ text: block.decoded, mapToOriginal: () => ({ start: block.start, end: block.end }), block });
  }
  return found;
}

/** The letters of ASCII, and whatever URLs write with more bytes: in URLs, in HTML and in strings of source code. */
const encodedLetter =
  /%[2-7][0-9a-f]|(?:%[89a-f][0-9a-f]){2,}|&(?:quot|apos|amp|lt|gt|nbsp|colon|equals|commat|sol|num|lbrace|rbrace|#0{0,4}[0-9]{2,3}|#x0{0,4}[2-7][0-9a-f]);|\\{1,4}u00[2-7][0-9a-f]|\\{1,4}x[2-7][0-9a-f]/gi;

const namedLetters: Record<string, string> = {
  quot: '"',
  apos: "'",
  amp: "&",
  lt: "<",
  gt: ">",
  nbsp: " ",
  colon: ":",
  equals: "=",
  commat: "@",
  sol: "/",
  num: "#",
  lbrace: "{",
  rbrace: "}",
};

/** Letters that end in signs which a token has as well. */
const openLetter = /%(?:25){0,2}[2-7][0-9a-f]|\\{1,4}u00[2-7][0-9a-f]/gi;
const maxLetter = 10;

/** Where what begins at a position begins if that is within an encoded letter: behind it. */
export function skipEncodedLetter(text: string, position: number): number {
  const from = Math.max(0, position - maxLetter);
  for (const { 0: found, index } of text.slice(from, position + maxLetter).matchAll(openLetter)) {
    const end = from + index + found.length;
    if (from + index < position && position < end) return end;
  }
  return position;
}

/** So much around an encoded letter is read with it; what lies between is not searched again. Characters. */
const contextBeforeChars = 200;
const contextAfterChars = 500;
/** A word is read to its end where that is no farther. Characters. */
const maxWord = 1_000;

/** The text around its encoded letters, with them decoded; null without any. */
function decodeLetters(text: string): SearchableText | null {
  if (!/%[2-9a-f][0-9a-f]|&[a-z#]/i.test(text) && !/\\[ux]/.test(text)) return null;
  const rewritten: Rewritten[] = [];
  let last = 0;
  for (const { 0: found, index } of text.matchAll(encodedLetter)) {
    // Looking for the ends of words at each of many letters would read the same words over and over.
    if (rewritten.length === 0 || index > last + contextAfterChars) {
      const read = rewritten.length === 0 ? 0 : findWordEdge(text, last + contextAfterChars, 1, text.length);
      const from = findWordEdge(text, Math.max(read, index - contextBeforeChars), -1, read);
      if (from > read) rewritten.push({ start: read, end: from, instead: "\n\n" });
    }
    last = index + found.length;
    rewritten.push({ start: index, end: last, instead: decodeLetter(found) });
  }
  if (rewritten.length === 0) return null;
  const read = findWordEdge(text, Math.min(text.length, last + contextAfterChars), 1, text.length);
  if (read < text.length) rewritten.push({ start: read, end: text.length, instead: "\n\n" });
  return buildTextView(text, rewritten);
}

/** Where the word around a position ends, in a direction. */
function findWordEdge(text: string, position: number, step: 1 | -1, limit: number): number {
  let at = position;
  for (let count = 0; at !== limit && count < maxWord; count++, at += step)
    if (/\s/.test(text[step === 1 ? at : at - 1]!)) break;
  return at;
}

function decodeLetter(written: string): string {
  if (written.startsWith("&")) {
    const name = written.slice(1, -1).toLowerCase();
    if (!name.startsWith("#")) return namedLetters[name]!;
    const code = name[1] === "x" ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 31 ? String.fromCharCode(code) : written;
  }
  if (!written.startsWith("%")) return String.fromCharCode(Number.parseInt(written.slice(-2), 16));
  const decoded = Buffer.from(written.replaceAll("%", ""), "hex").toString("utf8");
  return decoded.includes("\ufffd") ? written : decoded;
}

interface EncodedBlock {
  start: number;
  end: number;
  decoded: string;
}

/** Longer ones are files. Characters. */
const maxLength = 20_000;
const minLength = 20;

/** Base64 and hexadecimal that say a text, and hex dumps. */
function findBlocks(text: string, budget: DecodingBudget): EncodedBlock[] {
  const blocks = text.includes("0000000") ? findHexDumps(text) : [];
  let read = 0;
  // A run of the least length has one of these places.
  for (let place = minLength - 1; place < text.length; place += minLength) {
    if (place < read || !isBase64(text.charCodeAt(place))) continue;
    let start = place;
    while (start > read && isBase64(text.charCodeAt(start - 1))) start--;
    let end = place + 1;
    while (end < text.length && isBase64(text.charCodeAt(end))) end++;
    if (isDiffSign(text, start)) start++;
    if (end - start >= minLength) {
      end = endOfLines(text, start, end);
      const known = blocks.length;
      addBlocksOfRun(blocks, text, start, end);
      for (const { decoded } of blocks.slice(known)) budget.left -= decoded.length;
      // What is over the budget is not even unpacked.
      if (budget.left < 0) return blocks.slice(0, known);
    }
    read = end;
  }
  return blocks;
}

/** Programs break base64 in lines of 64 or 76 letters. */
const minWrapped = 60;
const nextLine = /\r?\n[ \t]{0,20}([A-Za-z0-9+/-]{1,100})(?==|[ \t]*(?:[\r\n"'`,;)]|$))/y;

function endOfLines(text: string, start: number, end: number): number {
  const width = end - start;
  if (width < minWrapped || width > 100) return end;
  const signs = isDiffSign(text, start - 1) ? 1 : 0;
  let last = end;
  for (;;) {
    nextLine.lastIndex = last;
    const found = nextLine.exec(text);
    const length = found === null ? 0 : found[1]!.length - signs;
    if (found === null || length > width) return last;
    last += found[0].length;
    if (length < width) return last;
  }
}

/** The sign of a diff's line is no letter of what follows, though base64 has it as well. */
const isDiffSign = (text: string, at: number) =>
  at >= 0 && (text[at] === "+" || text[at] === "-") && (at === 0 || text[at - 1] === "\n");

/** A run as a whole, or what stands in it between signs that base64 has as well: in a path, behind a prefix. */
function addBlocksOfRun(blocks: EncodedBlock[], text: string, start: number, end: number): void {
  if (end - start > maxLength) return;
  const whole = decodeRun(text, start, end);
  if (whole !== null) {
    blocks.push(whole);
    return;
  }
  for (let from = start, at = start; at <= end; at++) {
    if (at < end && sixBits[text.charCodeAt(at)]! < firstSignDigit) continue;
    const block = at - from >= minLength && at - from < end - start ? decodeRun(text, from, at) : null;
    if (block !== null) blocks.push(block);
    from = at + 1;
  }
}

function decodeRun(text: string, start: number, textEnd: number): EncodedBlock | null {
  const isHex = isHexText(text, start);
  if (!isHex && !isBase64Text(text, start)) return null;
  let end = textEnd;
  while (text[end] === "=" && end - textEnd < 2) end++;
  const lines = text.slice(start, end);
  const run = isDiffSign(text, start - 1) ? lines.replace(/\n[+-]/g, "\n") : lines;
  const decoded =
    (isHex && /^(?:[0-9a-f]{2})+$/i.test(run) ? decodeText(Buffer.from(run, "hex")) : null) ??
    decodeText(unpack(Buffer.from(run, "base64")));
  return decoded === null ? null : { start, end, decoded };
}

const isHexText = (text: string, start: number) =>
  text[start]! >= "2" && text[start]! <= "7" && /^[2-7][0-9a-f]{5}/i.test(text.slice(start, start + 6));

/** Whether the first six bytes begin a text, in ASCII, in UTF-8 or in UTF-16, or something packed. */
function isBase64Text(text: string, start: number): boolean {
  const first = (readBase64Digit(text, start) << 2) | (readBase64Digit(text, start + 1) >> 4);
  if (first === 0x1f || first === 0x78) return true;
  if (first === 0 || (first >= 0x80 && first < 0xc2)) return false;
  for (let group = start; group < start + 8; group += 4) {
    const high = (readBase64Digit(text, group) << 6) | readBase64Digit(text, group + 1);
    const low = (readBase64Digit(text, group + 2) << 6) | readBase64Digit(text, group + 3);
    if (isControl(high >> 4) || isControl(((high & 15) << 4) | (low >> 8)) || isControl(low & 255))
      return false;
  }
  return true;
}

const readBase64Digit = (text: string, at: number) => sixBits[text.charCodeAt(at)]! & 63;

/** Zero is every second byte of UTF-16. */
const isControl = (byte: number) => (byte < 32 && (byte < 9 || byte > 13) && byte !== 0) || byte === 127;

function unpack(bytes: Buffer): Buffer {
  const options = { maxOutputLength: Math.min(maxUnpacked, maxRatio * bytes.length) };
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes, options);
    if (bytes[0] === 0x78 && ((bytes[0] << 8) | (bytes[1] ?? 0)) % 31 === 0)
      return inflateSync(bytes, options);
  } catch {
    // Not packed, cut off, or larger than what is read.
  }
  return bytes;
}

/** What bytes say; null when they are no text. */
function decodeText(bytes: Buffer): string | null {
  const isWide = bytes.length >= 4 && bytes[1] === 0 && bytes[3] === 0;
  const decoded = bytes.toString(isWide ? "utf16le" : "utf8");
  return /[\x00-\x08\x0e-\x1a\ufffd]/.test(decoded) ? null : decoded;
}

/** How a hex dump begins, by xxd, by `hexdump -C`, and by `od -x` and hexdump. */
const dumpStart = /00000000: |00000000 {2}|0000000 /g;
const dumpLine = /[0-9a-f]{7,8}:? {1,2}((?:[0-9a-f]{2}(?:[0-9a-f]{2})? {1,2}){1,16})[^\n]{0,20}(?:\n|$)/y;

function findHexDumps(text: string): EncodedBlock[] {
  const blocks: EncodedBlock[] = [];
  for (const { index } of text.matchAll(dumpStart)) {
    let end = index;
    let hex = "";
    for (;;) {
      dumpLine.lastIndex = end;
      const match = dumpLine.exec(text);
      if (match === null) break;
      const [, groups = ""] = match;
      // A number of two bytes, the lower one first.
      const isSwapped = /^[0-9a-f]{7} +[0-9a-f]{4}/.test(match[0]);
      hex += (isSwapped ? groups.replace(/([0-9a-f]{2})([0-9a-f]{2})/g, "$2$1") : groups).replaceAll(" ", "");
      end += match[0].length;
    }
    if (end > index) blocks.push({ start: index, end, decoded: Buffer.from(hex, "hex").toString("latin1") });
  }
  return blocks;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** From here on they are signs other than "+", which stand between words as well. */
const firstSignDigit = 63;
const noDigit = 255;
/** The value of a character as a digit of base64; of 64 and more, as in URLs. */
const sixBits = new Uint8Array(65_536).fill(noDigit);
for (const [value, digit] of [...alphabet].entries()) sixBits[digit.charCodeAt(0)] = value;
sixBits["-".charCodeAt(0)] = 62 + 64;
sixBits["_".charCodeAt(0)] = 63 + 64;

const isBase64 = (code: number): boolean => sixBits[code] !== noDigit;
