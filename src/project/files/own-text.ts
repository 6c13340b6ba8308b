/**
 * Pommel's text in users' files: a section between two markers, or a whole file that ends with one. A marker has a
 * version and the hash of its text, which distinguishes an older Pommel's text from an edited one, in every checkout
 * and without a record.
 */

export const ended = "<!-- pommel:end -->";
const begun = /^<!-- pommel:begin v(\d+) ([0-9a-f]{8})\b[^\r\n]*-->[ \t]*$/gm;
/** Scripts have it in a comment. */
export const signed = /^(?:\/\/ )?<!-- pommel:file v(\d+) ([0-9a-f]{8})\b[^\r\n]*-->\s*$/m;

export interface Found {
  start: number;
  /** After the end marker, before its line break. */
  end: number;
  body: string;
  hash: string;
  /** Version of the text. */
  version: number;
}

/** The section in a text; "odd" for several, or one without an end. */
export function findSection(text: string): Found | "odd" | null {
  const begins = [...text.matchAll(begun)];
  const ends = text.split(ended).length - 1;
  if (begins.length === 0 && ends === 0) return null;
  const [begin] = begins;
  const end = text.indexOf(ended);
  if (!begin || begins.length > 1 || ends !== 1 || end < begin.index) return "odd";
  const body = text.slice(begin.index + begin[0].length, end);
  return { start: begin.index, end: end + ended.length, body, hash: begin[2]!, version: Number(begin[1]) };
}

/** Blanks out Pommel's section and keeps all line numbers. */
export function blankSection(text: string): string {
  const found = findSection(text);
  if (found === null || found === "odd") return text;
  const blank = text.slice(found.start, found.end).replace(/[^\r\n]+/g, "");
  return text.slice(0, found.start) + blank + text.slice(found.end);
}

/** Whether Pommel wrote the whole file. */
export const isOwnFile = (text: string): boolean => signed.test(text);
