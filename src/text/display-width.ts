import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/** Text in a terminal is as wide as its columns: a Chinese character and most emoji take two, an accent none. */

/** The columns that a text takes. Colours take none. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Fills a text up with blanks on its right. */
export function padToWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** The beginning of an uncoloured line, with an ellipsis where something was left out; at most so many columns. */
export function cutToWidth(line: string, width: number): string {
  const room = Math.max(width - 1, 1);
  // Nearly all lines, and many of them: finding the characters of others takes a microsecond each.
  if (/^[ -~]*$/.test(line)) return line.length <= width ? line : `${line.slice(0, room).trimEnd()}…`;
  let columns = 0;
  let kept = 0;
  for (const { segment, index } of characters.segment(line)) {
    columns += widthOf(segment);
    if (columns > width) return `${line.slice(0, kept).trimEnd()}…`;
    if (columns <= room) kept = index + segment.length;
  }
  return line;
}

const characters = new Intl.Segmenter();

/** A text as lines of at most so many columns, broken between words; a longer word stays whole. */
export function wrapToWidth(text: string, width: number): string[] {
  return wrapAnsi(text, width).split("\n");
}

/** Escape sequences of terminals (ECMA-48): control sequences, strings such as titles and links, and the short ones. */
const escapes =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]|\u009b[0-?]*[ -/]*[@-~]/g;

/** A text without what would colour it in a terminal, or worse. */
export function withoutEscapes(text: string): string {
  return text.replace(escapes, "");
}
