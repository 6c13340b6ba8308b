import { LRUCache } from "lru-cache";
import { addTo } from "../../../project/multimap.ts";
import {
  type FoundList,
  isLate,
  type LoadedSegment,
  LoadedSegments,
  marked,
  toMerge,
  type WorthMerging,
} from "../words/loaded-segments.ts";
import type { Postings } from "../words/postings.ts";
import { decodeChunks, encodeChunks, placeOf, type SegmentBuilder, SegmentMerge } from "../words/segment.ts";
import { entryOf, type Found, StoredWords } from "../words/stored-words.ts";
import type { Collection, Next, SegmentEntry, StateChange } from "./state.ts";
import { type Opened, Outdated } from "./store.ts";
import {
  type Block,
  blocksTogether,
  placeIn,
  postingsIn,
  readBlocks,
  SegmentWriter,
  sizeOf,
} from "./word-blocks.ts";

/** What blocks in memory may take. Bytes. */
const maxKept = 48e6;

/** Words of chunks, or of commits (docs/decisions/0008-index-port.md). */
export class LanceWords {
  private known = new LoadedSegments();
  /** The first word of each block of a segment. */
  private readonly firsts = new Map<number, readonly string[]>();
  private readonly blocks = new LRUCache<number, Block>({ maxSize: maxKept, sizeCalculation: sizeOf });

  constructor(private readonly holds: Collection) {}

  // Writing

  /** Adds the rows of a segment. @returns the change that names it, null for an empty one */
  async add(opened: Opened, next: Next, segment: SegmentBuilder): Promise<SegmentEntry | null> {
    const chunks = segment.chunks();
    if (chunks.ids.length === 0) return null;
    const writer = new SegmentWriter(opened, next, this.holds, encodeChunks(chunks));
    for (const [word, postings] of segment.postings()) await writer.put(word, postings);
    return writer.finish({ chunks: chunks.ids.length, first: chunks.ids[0]!, last: chunks.ids.at(-1)! });
  }

  isDue({ state }: Opened, by: WorthMerging): boolean {
    return toMerge(state.segmentsOf(this.holds), by) !== null;
  }

  isLate({ state }: Opened): boolean {
    return isLate(state.segmentsOf(this.holds));
  }

  /** Makes one segment of several. */
  async merge(opened: Opened, next: Next, by: WorthMerging): Promise<StateChange | null> {
    const sources = toMerge(opened.state.segmentsOf(this.holds), by) as SegmentEntry[] | null;
    if (sources === null) return null;
    const loaded = await this.load(opened);
    const byId = new Map(loaded.all.map((segment) => [segment.id, segment]));
    const segments = sources.map(({ id }) => byId.get(id)!);
    const merge = new SegmentMerge(segments.map((chunks) => ({ chunks, isGone: chunks.isGone })));
    const merged = sources.map(({ id }) => id);
    const [first, last] = [sources[0]!.first, sources.at(-1)!.last];
    if (merge.chunks.ids.length === 0) return { merged };
    const writer = new SegmentWriter(opened, next, this.holds, encodeChunks(merge.chunks));
    // The bounds of the one with the most blocks: between two of them the others have about as many words.
    const largest = sources.reduce((a, b) => (b.blocks > a.blocks ? b : a));
    const bounds = this.firstsOf(largest.id).filter((_, i) => i > 0 && i % blocksTogether === 0);
    for (let i = 0; i <= bounds.length; i++) {
      const [from, to] = [i === 0 ? null : bounds[i - 1]!, bounds[i] ?? null];
      for (const [word, parts] of await this.between(opened, segments, from, to)) {
        const postings = merge.merged(parts);
        if (postings.chunks > 0) await writer.put(word, postings);
      }
    }
    return { merged, segments: [await writer.finish({ chunks: merge.chunks.ids.length, first, last })] };
  }

  /** The words from one on and up to another, in their order, with what each segment has of them. */
  private async between(
    opened: Opened,
    segments: readonly LoadedSegment[],
    from: string | null,
    to: string | null,
  ): Promise<[string, { source: number; postings: Postings }[]][]> {
    const parts = new Map<string, { source: number; postings: Postings }[]>();
    for (const [source, { id }] of segments.entries()) {
      const { block } = entryIn(opened, id);
      const firsts = this.firstsOf(id);
      const begin = from === null ? 0 : Math.max(0, placeIn(firsts, from));
      const numbers: number[] = [];
      for (let i = begin; i < firsts.length && (to === null || firsts[i]! < to); i++)
        numbers.push(block + 1 + i);
      // Not kept: they are about to go.
      for (const found of (await readBlocks(opened, numbers, true)).values()) {
        found.words.forEach((word, i) => {
          if ((from !== null && word < from) || (to !== null && word >= to)) return;
          const part = { source, postings: postingsIn(found, i) };
          addTo(parts, word, part);
        });
      }
    }
    return [...parts].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  // Reading

  async at(opened: Opened): Promise<StoredWords> {
    return new StoredWords(await this.load(opened), {
      lists: (words, segments) => this.find<FoundList>(opened, words, segments, false),
      places: (words, segments) => this.find<Postings>(opened, words, segments, true),
    });
  }

  release(): void {
    this.blocks.clear();
  }

  private async find<T extends FoundList | Postings>(
    opened: Opened,
    words: readonly string[],
    segments: LoadedSegments,
    withPlaces: boolean,
  ): Promise<Found<T>> {
    const wanted: { word: string; segment: number; block: number }[] = [];
    for (const { id } of segments.all) {
      const { block } = entryIn(opened, id);
      const firsts = this.firstsOf(id);
      for (const word of words) {
        const at = placeIn(firsts, word);
        if (at >= 0) wanted.push({ word, segment: id, block: block + 1 + at });
      }
    }
    const blocks = await this.blocksOf(opened, [...new Set(wanted.map(({ block }) => block))], withPlaces);
    const found = new Map<string, Map<number, T>>();
    for (const { word, segment, block } of wanted) {
      const of = blocks.get(block)!;
      const at = placeIn(of.words, word);
      if (of.words[at] === word) entryOf(found, word).set(segment, postingsIn(of, at) as unknown as T);
    }
    return found;
  }

  private async blocksOf(
    opened: Opened,
    numbers: readonly number[],
    withPlaces: boolean,
  ): Promise<Map<number, Block>> {
    const blocks = new Map<number, Block>();
    const unknown: number[] = [];
    for (const number of numbers) {
      const known = this.blocks.get(number);
      if (known === undefined || (withPlaces && known.places === null)) unknown.push(number);
      else blocks.set(number, known);
    }
    if (unknown.length === 0) return blocks;
    for (const [number, block] of await readBlocks(opened, unknown, withPlaces)) {
      blocks.set(number, block);
      this.blocks.set(number, block);
    }
    return blocks;
  }

  private firstsOf(segment: number): readonly string[] {
    const firsts = this.firsts.get(segment);
    // Merged while this question was asked.
    if (firsts === undefined) throw new Outdated("a segment is gone");
    return firsts;
  }

  /** The segments of now: those that are new are read. */
  private async load(opened: Opened): Promise<LoadedSegments> {
    const { state, tables } = opened;
    const stored = state.segmentsOf(this.holds);
    const added = this.known.outdated(stored).filter(({ isKnown }) => !isKnown);
    const entries = added.map(({ stored: { id } }) => stored.find((one) => one.id === id)!);
    const data = new Map<number, Uint8Array>();
    if (entries.length > 0) {
      const heads = entries.map(({ block }) => block);
      for (const { block, lists } of await tables.words.among(["block", "lists"], "block", heads)) {
        data.set(block, lists);
      }
      const numbers = entries.flatMap(({ block, blocks }) =>
        Array.from({ length: blocks }, (_, i) => block + 1 + i),
      );
      const rows = await tables.words.among(["block", "first"], "block", numbers);
      const firstOf = new Map(rows.map(({ block, first }) => [block, first]));
      if (data.size < heads.length || firstOf.size < numbers.length)
        throw new Outdated("blocks of words are gone");
      for (const { id, block, blocks } of entries) {
        this.firsts.set(
          id,
          Array.from({ length: blocks }, (_, i) => firstOf.get(block + 1 + i)!),
        );
      }
    }
    const gone = [...state.gone[this.holds]];
    this.known = this.known.following(stored, (one, before) => {
      const bytes = data.get((one as SegmentEntry).block);
      if (before === undefined && bytes === undefined) throw new Outdated("a segment is gone");
      const chunks = before ?? decodeChunks(bytes!, one.chunks);
      const ofSegment = one.gone === 0 ? [] : gone.filter((chunk) => placeOf(chunks.ids, chunk) >= 0);
      return { chunks, isGone: marked(chunks.ids, ofSegment) };
    });
    const inUse = new Set(stored.map(({ id }) => id));
    for (const id of this.firsts.keys()) if (!inUse.has(id)) this.firsts.delete(id);
    return this.known;
  }
}

function entryIn({ state }: Opened, segment: number): SegmentEntry {
  const entry = state.segments.find(({ id }) => id === segment);
  // Merged while this question was asked.
  if (entry === undefined) throw new Outdated("a segment is gone");
  return entry;
}
