import { isAscii, isUtf8 } from "node:buffer";

/** Size of the sample that distinguishes text from binary where there is no NUL byte. */
const sampleSize = 4096;

/** Formats that can do without a NUL byte, and the text that Git LFS leaves in place of a binary. */
const binaryMagic = ["%PDF-", "\x1f\x8b", "BZh", "\xfd7zXZ", "version https://git-lfs.github.com/spec/"];

const lenientUtf8 = new TextDecoder("utf-8");

/**
 * The text in `bytes`, without byte order mark, or null for binary data. UTF-8; UTF-16 with or without a
 * mark; anything else is read as Latin-1, so that the ASCII part of old sources is found.
 */
export function decodeText(bytes: Buffer): string | null {
  const utf16 = detectUtf16(bytes);
  if (utf16 !== null) {
    const even = bytes.subarray(0, bytes.length & ~1);
    const text = (utf16 === "le" ? even : Buffer.from(even).swap16()).toString("utf16le");
    return text.includes("\0") ? null : text.replace(/^\ufeff/, "");
  }
  if (isBinary(bytes)) return null;
  if (isAscii(bytes)) return bytes.toString("latin1");
  if (isUtf8(bytes)) return bytes.toString("utf8").replace(/^\ufeff/, "");
  return decodeMostlyUtf8(bytes) ?? bytes.toString("latin1");
}

/** The encoding in which any lines of a text can be decoded alone; null for binary data and for what `decodeText` reads as a whole. */
export function detectUniformEncoding(bytes: Buffer): "latin1" | "utf8" | null {
  if (isBinary(bytes)) return null;
  if (isAscii(bytes)) return "latin1";
  return isUtf8(bytes) && bytes[0] !== byteOrderMark ? "utf8" : null;
}

/** The first byte of a byte order mark in UTF-8; few other characters begin with it. */
const byteOrderMark = 0xef;

/** Of what is not UTF-16. */
const isBinary = (bytes: Buffer) => bytes.includes(0) || hasBinaryMagic(bytes) || isMostlyControls(bytes);

/** Whether `decodeText` reads it as UTF-16: in all other encodings ASCII characters are bytes of their own. */
export const isUtf16 = (bytes: Buffer) => detectUtf16(bytes) !== null;

/** The byte order of UTF-16 text: by its mark, or because every other byte of (mostly) ASCII text is NUL. */
function detectUtf16(bytes: Buffer): "le" | "be" | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "be";
  const sample = bytes.subarray(0, 512);
  if (bytes.length % 2 === 1 || !sample.includes(0)) return null;
  const nuls = [0, 0];
  for (let i = 0; i < sample.length; i++) if (sample[i] === 0) nuls[i % 2]!++;
  const many = sample.length * 0.4;
  if (nuls[0] === 0 && nuls[1]! >= many) return "le";
  if (nuls[1] === 0 && nuls[0]! >= many) return "be";
  return null;
}

function hasBinaryMagic(bytes: Buffer): boolean {
  const start = bytes.toString("latin1", 0, 48);
  return binaryMagic.some((magic) => start.startsWith(magic));
}

/** Compressed or encrypted data: a tenth of random bytes are control characters that text does not use. */
function isMostlyControls(bytes: Buffer): boolean {
  const sample = bytes.subarray(0, sampleSize);
  let controls = 0;
  // Tab to carriage return (9-13) and escape (27) occur in text.
  for (let i = 0; i < sample.length; i++) {
    const byte = sample[i]!;
    if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) controls++;
  }
  return controls > sample.length * 0.05;
}

/** UTF-8 with a few broken bytes: kept as UTF-8 where more characters outside ASCII are whole than broken. */
function decodeMostlyUtf8(bytes: Buffer): string | null {
  const text = lenientUtf8.decode(bytes);
  const broken = text.split("\ufffd").length - 1;
  const beyondAscii = text.match(/[^\x00-\x7f]/gu)?.length ?? 0;
  return beyondAscii - broken > broken ? text : null;
}
