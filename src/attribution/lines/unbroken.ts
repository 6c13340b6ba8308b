import type { FileLine } from "./align.ts";
import { lineKey } from "./line-keys.ts";

/** So many lines a formatter makes of one. */
const maxPieces = 12;

/**
 * Lines that a formatter broke: of each piece, by its index in `lines`, the line that was there before, and when it showed
 * up. Nobody keeps the text of what was saved meanwhile, only keys: pieces that stand together are put together again.
 */
export function unbrokenLines(
  lines: readonly FileLine[],
  seen: ReadonlyMap<number, readonly number[]>,
): Map<number, { key: number; at: number }> {
  const found = new Map<number, { key: number; at: number }>();
  if (seen.size === 0) return found;
  const here = new Set(lines.map(({ key }) => key));
  for (let first = 0; first < lines.length; first++) {
    let text = lines[first]!.bare;
    for (let last = first + 1; last < first + maxPieces; last++) {
      const next = lines[last];
      if (!next?.isAdded || !lines[first]!.isAdded || next.line !== lines[last - 1]!.line + 1) break;
      text += `${separator(text, next.bare)}${next.bare}`;
      const key = lineKey(text);
      const at = here.has(key) ? undefined : seen.get(key)?.[0];
      if (at === undefined) continue;
      for (let i = first; i <= last; i++) found.set(i, { key, at });
      first = last;
      break;
    }
  }
  return found;
}

/** A comma at the end of a line is no part of its key. */
const separator = (above: string, below: string): string =>
  /[([{<=>+\-*|&?:.!]$/.test(above) || /^[)\]}>+\-*|&?:.=]/.test(below) ? "" : ",";
