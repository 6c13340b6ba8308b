import { levels as allLevels } from "../../../base/levels.ts";
import { Best, type ScoredRow } from "../../best.ts";
import { blockSize } from "../../vectors/vector-kernel.ts";
import { type ChunkId, type FieldWeights, type Frequencies, toChunkId } from "../port.ts";
import { computeLengthNorm, countPresent, FieldSums, type Postings } from "./postings.ts";
import { findChunkPlace, type SegmentChunks } from "./segment.ts";
import { wordKernel } from "./word-kernel.ts";

/** What is stored of a segment beside its chunks and postings. */
export interface StoredSegment {
  id: number;
  chunks: number;
  /** How many of them are gone. */
  gone: number;
  /** Ids of chunks; those of segments in use do not overlap. */
  first: number;
  last: number;
}

/** A segment in memory: all but its postings. */
export interface LoadedSegment extends SegmentChunks {
  id: number;
  /** How many of its chunks are gone, and for each whether it is; null for none. */
  gone: number;
  isGone: Uint8Array | null;
  /** Words in those that are there. */
  words: number;
  /** In how many of them a word occurs, where that was asked. */
  holding: Map<string, number>;
  /** What their lengths mean for BM25 at an average length. */
  norms: Float32Array;
  normsAt: number;
}

/** What a segment has of a word. */
export type FoundList = Pick<Postings, "chunks" | "list">;

/** What is read of a segment when it is new, or when others of its chunks are gone. */
export interface SegmentContent {
  chunks: SegmentChunks;
  isGone: Uint8Array | null;
}

/** Words whose frequencies a segment remembers. */
const maxRemembered = 50_000;

/**
 * The segments of an index in memory as they were at one time, and BM25 over their postings: the same for each driver, which
 * stores segments and reads postings (docs/decisions/0014-own-postings.md). To follow the index costs as much as what
 * changed.
 */
export class LoadedSegments {
  constructor(readonly all: readonly LoadedSegment[] = []) {}

  /** The segments of now. @param read a segment that is new, or whose chunks went; `known` is as it was */
  loadCurrent(
    stored: readonly StoredSegment[],
    read: (stored: StoredSegment, known: SegmentChunks | undefined) => SegmentContent,
  ): LoadedSegments {
    const known = this.mapById();
    return new LoadedSegments(
      stored.map((one) => {
        const segment = known.get(one.id);
        return segment?.gone === one.gone ? segment : toLoadedSegment(one, read(one, segment), segment);
      }),
    );
  }

  /** Those that `loadCurrent` would read. */
  listOutdated(stored: readonly StoredSegment[]): { stored: StoredSegment; isKnown: boolean }[] {
    const known = this.mapById();
    return stored.flatMap((one) => {
      const segment = known.get(one.id);
      return segment?.gone === one.gone ? [] : [{ stored: one, isKnown: segment !== undefined }];
    });
  }

  private mapById(): Map<number, LoadedSegment> {
    return new Map(this.all.map((segment) => [segment.id, segment]));
  }

  /** Whether a chunk is there. */
  has(chunk: number): boolean {
    const { all } = this;
    let [from, to] = [0, all.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (all[middle]!.ids[0]! <= chunk) from = middle + 1;
      else to = middle;
    }
    const segment = all[from - 1];
    const place = segment === undefined ? -1 : findChunkPlace(segment.ids, chunk);
    return place >= 0 && !segment!.isGone?.[place];
  }

  /** How many chunks there are. */
  get total(): number {
    return this.all.reduce((sum, { ids, gone }) => sum + ids.length - gone, 0);
  }

  /**
   * The best `k` chunks that hold any of the tokens. Scores fit together within one answer; where chunks are equally good,
   * the older is first.
   * @param found for each token what each segment has of it
   * @param frequencies where these segments are only a part of what says how rare a token is
   */
  findBest(
    tokens: readonly string[],
    found: readonly ReadonlyMap<number, FoundList>[],
    weights: FieldWeights,
    k: number,
    inScope: (segment: LoadedSegment, place: number) => boolean,
    frequencies?: Frequencies,
  ): ScoredRow[] {
    const { all: segments, total } = this;
    const words = segments.reduce((sum, segment) => sum + segment.words, 0);
    const idfs = tokens.map((token, i) =>
      frequencies === undefined
        ? computeIdf(
            total,
            this.countHolding(token, ({ id }) => found[i]!.get(id)),
          )
        : computeIdf(frequencies.chunks, frequencies.holding.get(token) ?? 0),
    );
    const sums = new FieldSums(weights);
    const kernel = wordKernel();
    const best = new Best(k);
    for (const segment of segments) {
      const lists = found.map((ofSegment) => ofSegment.get(segment.id)?.list);
      if (lists.every((list) => list === undefined)) continue;
      kernel.begin(computeNorms(segment, words / total), sums);
      lists.forEach((list, i) => {
        if (list !== undefined) kernel.add(list, idfs[i]!);
      });
      const { ids, isGone } = segment;
      const [places, scores] = [kernel.places(), kernel.scores()];
      for (let first = 0; first < ids.length; first += blockSize) {
        // Ids ascend, so that of equal ones those to come are no better.
        let least = Math.max(best.least, 0);
        const found = kernel.above(first, least);
        for (let i = 0; i < found; i++) {
          const place = first + places[i]!;
          if (scores[place]! <= least || isGone?.[place] || !inScope(segment, place)) continue;
          best.offer(ids[place]!, scores[place]!);
          least = Math.max(best.least, 0);
        }
      }
    }
    return best.takeSorted();
  }

  /**
   * For each phrase, tokens with blanks between them, the chunks that hold it, the oldest first, `limit` (one at least) at most.
   * @param find what a segment has of a word
   */
  findPhraseHolders(
    phrases: readonly string[],
    limit: number,
    find: (word: string, segment: LoadedSegment) => Postings | undefined,
  ): ChunkId[][] {
    const kernel = wordKernel();
    const wanted = phrases.map((phrase) => ({ words: phrase.split(" "), ids: [] as ChunkId[] }));
    for (const segment of this.all) {
      kernel.beginPhrases(segment.ids.length, segment.isGone);
      for (const { words, ids } of wanted) {
        if (ids.length >= limit) continue;
        const found = words.flatMap((word) => find(word, segment) ?? []);
        if (found.length < words.length) continue;
        for (const chunk of kernel.withPhrase(found, limit - ids.length)) {
          ids.push(toChunkId(segment.ids[chunk]!));
        }
      }
    }
    return wanted.map(({ ids }) => ids);
  }

  /** In how many chunks a word occurs. @param find what a segment has of it, where that is not remembered */
  countHolding(token: string, find: (segment: LoadedSegment) => FoundList | undefined): number {
    let sum = 0;
    for (const segment of this.all) {
      let count = segment.holding.get(token);
      if (count === undefined) {
        const found = find(segment);
        count =
          found === undefined ? 0 : segment.isGone ? countPresent(found.list, segment.isGone) : found.chunks;
        if (segment.holding.size >= maxRemembered) segment.holding.clear();
        segment.holding.set(token, count);
      }
      sum += count;
    }
    return sum;
  }
}

/** @param known as it was, when only others of its chunks are gone now */
function toLoadedSegment(
  { id, gone }: StoredSegment,
  { chunks, isGone }: SegmentContent,
  known: LoadedSegment | undefined,
): LoadedSegment {
  const { ids, lengths, levels } = chunks;
  let words = 0;
  for (let i = 0; i < lengths.length; i++) if (!isGone?.[i]) words += lengths[i]!;
  const { norms, normsAt } = known ?? { norms: new Float32Array(ids.length), normsAt: Number.NaN };
  return { id, ids, lengths, levels, gone, isGone, words, norms, normsAt, holding: new Map() };
}

/** For each chunk whether it is among those that are gone; null for none. */
export function markGoneChunks(ids: Uint32Array, gone: readonly number[]): Uint8Array | null {
  if (gone.length === 0) return null;
  const isGone = new Uint8Array(ids.length);
  for (const chunk of gone) isGone[findChunkPlace(ids, chunk)] = 1;
  return isGone;
}

/**
 * Whether a chunk of a segment is in the scope.
 * @param chunks the ids of the chunks that the scope's files have; null: it has all files
 */
export function createScopeFilter(
  levels: readonly string[] | null,
  chunks: ReadonlySet<number> | null,
): (segment: LoadedSegment, place: number) => boolean {
  const isWanted = allLevels.map((level) => levels === null || levels.includes(level));
  if (chunks === null) return (segment, place) => isWanted[segment.levels[place]!]!;
  return (segment, place) => isWanted[segment.levels[place]!]! && chunks.has(segment.ids[place]!);
}

/** As FTS5 has it: a word in more than half of all chunks counts next to nothing. */
const computeIdf = (total: number, holding: number) =>
  Math.max(Math.log((total - holding + 0.5) / (holding + 0.5)), 1e-6);

function computeNorms(segment: LoadedSegment, average: number): Float32Array {
  const { norms, lengths } = segment;
  if (segment.normsAt !== average) {
    for (let i = 0; i < norms.length; i++) norms[i] = computeLengthNorm(lengths[i]!, average);
    segment.normsAt = average;
  }
  return norms;
}

/** Each class of segments is so many times as large as the one before; those of the first are of single saves. */
const classFactor = 16;
/** The class that large segments begin with. */
const largeClass = 2;
/** Gone chunks that are not worth writing a segment again. */
const fewGone = 64;

export interface WorthMerging {
  /** So many segments of a class become one, of those that are large and of others. */
  large: number;
  small: number;
  /** A segment is written again when a larger part of its chunks is gone. */
  gone: number;
}

/** What merging leaves is room in the file for what comes next, so large segments are merged late. */
const usually: WorthMerging = { small: 16, large: 64, gone: 0.1 };

export const worthMerging = {
  usually,
  /** While much changes, segments lose some of their chunks with every transaction. */
  whileWriting: { ...usually, gone: 0.5 },
  /** Where nothing else is to be done: each segment costs every search. */
  atRest: { ...usually, small: 4, large: 16 },
};

/** Segments that saves may leave until there is time to merge them. */
const maxLeft = 64;

/** Whether merging can wait no longer, though more is being written: searching takes longer with each segment. */
export const isLate = (used: readonly StoredSegment[]): boolean => used.length > maxLeft;

/** Segments that are to become one; they follow each other. @param used those in use, in the order of their chunks */
export function toMerge(used: readonly StoredSegment[], by: WorthMerging): StoredSegment[] | null {
  const worn = used.find(({ chunks, gone }) => gone > fewGone && gone > by.gone * chunks);
  if (worn) return [worn];
  // The newest are the smallest: those from the last larger one on are of about the same size.
  const sizes = used.map(({ chunks, gone }) => computeSizeClass(chunks - gone));
  for (let size = 0; size <= Math.max(...sizes); size++) {
    const similar = dropLargest(used.slice(sizes.findLastIndex((other) => other > size) + 1));
    if (similar.length >= (size < largeClass ? by.small : by.large)) return similar.slice(0, by.large);
  }
  return null;
}

/** Without those at the beginning that are larger than all behind them: most of what is written would be what they have. */
function dropLargest(segments: readonly StoredSegment[]): readonly StoredSegment[] {
  let behind = segments.reduce((sum, { chunks, gone }) => sum + chunks - gone, 0);
  const first = segments.findIndex(({ chunks, gone }) => {
    behind -= chunks - gone;
    return chunks - gone <= behind;
  });
  return first < 0 ? [] : segments.slice(first);
}

const computeSizeClass = (chunks: number) =>
  Math.max(0, Math.floor(Math.log(chunks) / Math.log(classFactor)) - 1);
