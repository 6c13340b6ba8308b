import type { FileLine } from "./align.ts";

/**
 * Lines that a formatter broke or joined do not equal the written lines, but their characters are in the same order.
 * Whatever a formatter adds or removes at a line break (white space, commas, semicolons, parentheses, the sort of
 * quotes) is left out on both sides.
 */
const loose = (bare: string) => bare.replace(/[,;()]/g, "");

/** Written lines without what a formatter changes at their ends. */
export class LooseText {
  readonly joined: string;

  /** @param lines as they are compared, without formatting (`bareLine`) */
  constructor(private readonly lines: readonly string[]) {
    this.joined = lines.map(loose).join("");
  }

  /** Each of the lines. */
  whole(): ReadonlySet<string> {
    return new Set(this.lines.map(loose));
  }
}

/** A line that is shorter finds its place only beside others. Characters. */
const shortestAnchor = 16;
/** The most text that is searched, all texts together. Characters. */
const longest = 4_000_000;
/** Characters that are gone over at most, looking for one line after the other. */
const maxSearched = 2_000_000_000;

/**
 * For lines (indices in `file`, ascending) the last of the texts that holds them; nothing for lines in none.
 * @param texts the written texts, oldest first
 */
export function reflowed<Of>(
  file: readonly FileLine[],
  open: readonly number[],
  texts: readonly { of: Of; text: LooseText }[],
): Map<number, Of> {
  const found = new Map<number, Of>();
  let left = longest;
  let leftToSearch = maxSearched;
  const own = open.map((i) => loose(file[i]!.bare));
  for (let t = texts.length - 1; t >= 0; t--) {
    const { of, text: written } = texts[t]!;
    const text = written.joined;
    let whole: ReadonlySet<string> | undefined;
    left -= text.length;
    if (left < 0) break;
    if (text.length < shortestAnchor) continue;
    for (let k = 0; k < open.length; k++) {
      if (found.has(open[k]!)) continue;
      leftToSearch -= text.length;
      if (leftToSearch < 0) return found;
      const end = follow(own, open, k, text);
      // Where nothing was broken or joined, whole lines are the same by chance: as lines they did not convince.
      if (end > k) whole ??= written.whole();
      const isBroken = own.slice(k, end).some((line) => !whole?.has(line));
      if (isBroken) for (let n = k; n < end; n++) found.set(open[n]!, of);
      k = Math.max(k, end - 1);
    }
  }
  return found;
}

/** As many neighbouring lines from `k` on as follow each other in the text; how far that goes. */
function follow(own: readonly string[], open: readonly number[], k: number, text: string): number {
  // A short line begins a stretch that is long enough with those that follow.
  let seed = own[k]!;
  let last = k;
  while (seed.length < shortestAnchor && isNext(open, last)) seed += own[++last]!;
  if (seed.length < shortestAnchor) return k;
  const at = text.indexOf(seed);
  if (at === -1) return k;
  let end = at + seed.length;
  let n = last + 1;
  while (n < open.length && isNext(open, n - 1)) {
    const next = own[n]!;
    if (!text.startsWith(next, end)) break;
    end += next.length;
    n++;
  }
  return n;
}

const isNext = (open: readonly number[], k: number) => k + 1 < open.length && open[k + 1] === open[k]! + 1;
