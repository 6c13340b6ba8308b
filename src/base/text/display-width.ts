import fastStringWidth from "fast-string-width";
import { wrapAnsi } from "fast-wrap-ansi";

/** Text in a terminal is as wide as its columns: a Chinese character and most emoji take two, an accent none. */

/** The columns of a text, without colours. */
export function measureWidth(text: string): number {
  return fastStringWidth(text);
}

/** Pads a text on the right. */
export function padToWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - measureWidth(text)));
}

/** Cuts an uncoloured line to `width` columns, with an ellipsis. */
export function cutToWidth(line: string, width: number): string {
  const room = Math.max(width - 1, 1);
  // Fast path: segmenting takes a microsecond per character.
  if (/^[ -~]*$/.test(line)) return line.length <= width ? line : `${line.slice(0, room).trimEnd()}…`;
  let columns = 0;
  let kept = 0;
  characters ??= new Intl.Segmenter();
  for (const { segment, index } of characters.segment(line)) {
    columns += measureWidth(segment);
    if (columns > width) return `${line.slice(0, kept).trimEnd()}…`;
    if (columns <= room) kept = index + segment.length;
  }
  return line;
}

/** Made when it is needed, as that takes 7 ms. */
let characters: Intl.Segmenter | null = null;

/** Cuts a coloured line to `width` columns, with an ellipsis. */
export function cutPainted(line: string, width: number): string {
  if (measureWidth(line) <= width) return line;
  return `${breakToWidth(line, Math.max(width - 1, 1))[0]}…`;
}

/** Breaks lines of code, whose blanks matter, at `width` columns. */
export function breakToWidth(line: string, width: number): string[] {
  return wrapAnsi(line, width, { hard: true, trim: false, wordWrap: false }).split("\n");
}

/** Wraps a text at words to `width` columns. @param hard whether longer words are broken; else they stay whole */
export function wrapToWidth(text: string, width: number, hard = false): string[] {
  return wrapAnsi(text, width, { hard }).split("\n");
}

/** Escape sequences of terminals (ECMA-48): control sequences, strings such as titles and links, and the short ones. */
const escapes =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]|\u009b[0-?]*[ -/]*[@-~]/g;

/** Removes terminal escape sequences. */
export function withoutEscapes(text: string): string {
  return text.replace(escapes, "");
}

/** Removes links (OSC 8), and keeps their texts. */
export function withoutLinks(text: string): string {
  return text.replace(/\u001b\]8;[^\u0007\u001b]*(?:\u0007|\u001b\\)/g, "");
}
