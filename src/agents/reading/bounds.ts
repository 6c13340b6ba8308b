/**
 * How much of what a transcript holds is kept. A memory keeps what was said and done; the output of a build or the
 * content of a file that was read is there to be read again.
 */
export const bounds = {
  /** A line that is longer is skipped without being parsed. Bytes. */
  line: 64 * 1024 * 1024,
  /** What people and agents say. Characters. */
  text: 200_000,
  /** What tools answer: the head and the tail of it. Characters. */
  result: 8_000,
  /** One string of a tool's input; edits and file contents are inputs, and attribution needs them whole. */
  input: 400_000,
} as const;

/** The first two thirds and the last third of what `most` allows, with a mark between; short texts as they are. */
export function headAndTail(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.floor((most * 2) / 3);
  const tail = most - head;
  const left = text.length - head - tail;
  return `${text.slice(0, head)}\n[... ${left} characters left out ...]\n${text.slice(text.length - tail)}`;
}

/** How many characters a line says were left out in its place, with or without its blanks; null for every other line. */
export function leftOutIn(line: string): number | null {
  const [, count] = /^\[\.\.\. ?(\d+) ?characters ?left ?out ?\.\.\.\]$/.exec(line) ?? [];
  return count === undefined ? null : Number(count);
}
