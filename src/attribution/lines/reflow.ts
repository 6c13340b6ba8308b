import type { CurrentLine } from "./align.ts";
import { computeLineKey } from "./line-keys.ts";

/**
 * Lines that a formatter broke or joined do not equal the written lines, but their characters are in the same order.
 * Whatever a formatter adds or removes at a line break (white space, commas, semicolons, parentheses, the sort of
 * quotes) is left out on both sides.
 */
const stripBreakCharacters = (bare: string) => bare.replace(/[,;()]/g, "");

/** Written lines without what a formatter changes at their ends. */
export class LooseText {
  readonly joined: string;

  /** @param lines as they are compared, without formatting (`stripFormatting`) */
  constructor(private readonly lines: readonly string[]) {
    this.joined = lines.map(stripBreakCharacters).join("");
  }

  /** Pieces of the text, by their hashes, one bit each: made when it was searched so often that this takes less. */
  private pieces: Uint32Array | null = null;
  private searches = 0;

  /** Whether it may hold a seed: most texts that are searched hold nothing of it. */
  canHold({ first, last }: Seed["hashes"]): boolean {
    if (this.pieces === null && ++this.searches < fewestSearches) return true;
    this.pieces ??= buildPieceFilter(this.joined);
    return hasPiece(this.pieces, first) && hasPiece(this.pieces, last);
  }

  /** Each of the lines. */
  listWholeLines(): ReadonlySet<string> {
    return new Set(this.lines.map(stripBreakCharacters));
  }
}

/** A line that is shorter finds its place only beside others. Characters. */
const shortestAnchor = 16;
/** Making the pieces of a text takes as long as searching it so often. */
const fewestSearches = 4;
/** Of a text's length, in bits: few of the pieces that it does not hold seem to be in it. */
const bitsEach = 4;
const factor = 0x01000193;
/** What the first character of a piece counts. */
const firstFactor = (() => {
  let power = 1;
  for (let i = 1; i < shortestAnchor; i++) power = Math.imul(power, factor);
  return power;
})();

/** What a stretch begins with, and the hashes of its first and last `shortestAnchor` characters. */
interface Seed {
  text: string;
  /** Index of the last of the open lines that it is of. */
  last: number;
  hashes: { first: number; last: number };
}

/** Of the `shortestAnchor` characters from a place on. */
function hashSeedAt(text: string, start: number): number {
  let hash = 0;
  for (let i = start; i < start + shortestAnchor; i++)
    hash = (Math.imul(hash, factor) + text.charCodeAt(i)) | 0;
  return hash;
}

function buildPieceFilter(text: string): Uint32Array {
  let words = 2;
  while (words * 32 < text.length * bitsEach) words *= 2;
  const pieces = new Uint32Array(words);
  let hash = hashSeedAt(text, 0);
  for (let end = shortestAnchor; ; end++) {
    const bit = computeFilterBit(pieces, hash);
    pieces[bit >>> 5]! |= 1 << (bit & 31);
    if (end >= text.length) return pieces;
    const without = Math.imul(hash - Math.imul(text.charCodeAt(end - shortestAnchor), firstFactor), factor);
    hash = (without + text.charCodeAt(end)) | 0;
  }
}

const hasPiece = (pieces: Uint32Array, hash: number): boolean => {
  const bit = computeFilterBit(pieces, hash);
  return ((pieces[bit >>> 5]! >>> (bit & 31)) & 1) === 1;
};

const computeFilterBit = ({ length }: Uint32Array, hash: number) =>
  (hash ^ (hash >>> 15)) & (length * 32 - 1);

/** The most text that is searched, all texts together. Characters. */
const maxSearchedChars = 4_000_000;
/** Characters that are gone over at most, looking for one line after the other. */
const maxSearched = 2_000_000_000;

/**
 * For lines (indices in `file`, ascending) the last of the texts that holds them; nothing for lines in none.
 * @param texts the written texts, oldest first
 */
export function matchReflowedLines<Of>(
  file: readonly CurrentLine[],
  open: readonly number[],
  texts: readonly { of: Of; text: LooseText }[],
): Map<number, Of> {
  const found = new Map<number, Of>();
  let left = maxSearchedChars;
  let leftToSearch = maxSearched;
  if (texts.length === 0) return found;
  const own = open.map((i) => stripBreakCharacters(file[i]!.bare));
  const seeds = own.map((_, k) => findSeed(own, open, k));
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
      const seed = seeds[k];
      const end = seed && written.canHold(seed.hashes) ? follow(own, open, seed, text) : 0;
      if (end <= k) continue;
      // Where nothing was broken or joined, whole lines are the same by chance: as lines they did not convince.
      whole ??= written.listWholeLines();
      const lines = whole;
      const isBroken = own.slice(k, end).some((line) => !lines.has(line));
      if (isBroken) for (let n = k; n < end; n++) found.set(open[n]!, of);
      k = end - 1;
    }
  }
  return found;
}

/** A short line begins a stretch that is long enough with those that follow; null: it is not. */
function findSeed(own: readonly string[], open: readonly number[], k: number): Seed | null {
  let text = own[k]!;
  let last = k;
  while (text.length < shortestAnchor && isNext(open, last)) text += own[++last]!;
  if (text.length < shortestAnchor) return null;
  const hashes = { first: hashSeedAt(text, 0), last: hashSeedAt(text, text.length - shortestAnchor) };
  return { text, last, hashes };
}

/** As many neighbouring lines as follow each other in the text from a seed on; how far that goes, 0 where it is not there. */
function follow(
  own: readonly string[],
  open: readonly number[],
  { text: seed, last }: Seed,
  text: string,
): number {
  const at = text.indexOf(seed);
  if (at === -1) return 0;
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

/** So many lines a formatter makes of one. */
const maxPieces = 12;

/**
 * Lines that a formatter broke: of each piece, by its index in `lines`, the line that was there before, and when it showed
 * up. Nobody keeps the text of what was saved meanwhile, only keys: pieces that stand together are put together again.
 */
export function findUnbrokenLines(
  lines: readonly CurrentLine[],
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
      text += `${chooseSeparator(text, next.bare)}${next.bare}`;
      const key = computeLineKey(text);
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
const chooseSeparator = (above: string, below: string): string =>
  /[([{<=>+\-*|&?:.!]$/.test(above) || /^[)\]}>+\-*|&?:.=]/.test(below) ? "" : ",";
