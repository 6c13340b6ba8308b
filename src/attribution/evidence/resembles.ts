import type { Write } from "./writes.ts";

/** Of the words of both. */
const enough = 0.6;
/** Fewer words are in many lines. */
const fewest = 3;

/** Whether a line says nearly the same as one that a call wrote, as after a formatter or a linter that repairs. */
export function resembles(bare: string, { hunks }: Write): boolean {
  const words = wordsOf(bare);
  if (words.length < fewest) return false;
  return hunks.some(({ lines }) =>
    lines.some((line) => line.isNew && shareOf(words, wordsOf(line.bare)) >= enough),
  );
}

const wordsOf = (bare: string) => bare.match(/[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]{2,}/gu) ?? [];

function shareOf(one: readonly string[], other: readonly string[]): number {
  const left = [...other];
  let same = 0;
  for (const word of one) {
    const at = left.indexOf(word);
    if (at === -1) continue;
    left.splice(at, 1);
    same++;
  }
  return same / Math.max(one.length, other.length, 1);
}
