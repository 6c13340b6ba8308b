import { LRUCache } from "lru-cache";
import { addTo } from "../../base/multimap.ts";
import {
  isLate,
  type LoadedSegment,
  LoadedSegments,
  markGoneChunks,
  toMerge,
  type WorthMerging,
} from "../../store/index/words/loaded-segments.ts";
import type { Postings } from "../../store/index/words/postings.ts";
import {
  decodeChunks,
  findChunkPlace,
  type SegmentBuilder,
  SegmentMerge,
} from "../../store/index/words/segment.ts";
import { getOrAddEntry, StoredWords, type WordsInSegments } from "../../store/index/words/stored-words.ts";
import { decodeText, type StoredBlob, splitParts } from "./blob-store.ts";
import type { Collection, Next, SegmentEntry } from "./state.ts";
import { type OpenedIndex, Outdated, type WrittenChange } from "./store.ts";
import {
  measureBlock,
  placeIn,
  readBlocks,
  SegmentWriter,
  slicePostings,
  type WordBlock,
} from "./word-blocks.ts";

/** What blocks in memory may take. Bytes. */
const maxKeptBytes = 48e6;
/** Blocks of a segment that are merged together. */
const blocksPerMerge = 64;

/** Words of chunks, or of commits. */
export class BlobWords {
  private known = new LoadedSegments();
  /** The first word of each block of a segment. */
  private readonly firsts = new Map<number, readonly string[]>();
  private readonly blocks = new LRUCache<number, WordBlock>({
    maxSize: maxKeptBytes,
    sizeCalculation: measureBlock,
  });

  constructor(private readonly holds: Collection) {}

  // Writing

  /** The segment of what was just added, and its blobs; none of an empty one. */
  build(next: Next, segment: SegmentBuilder): { segments: SegmentEntry[]; blobs: StoredBlob[] } {
    const chunks = segment.buildSegmentChunks();
    if (chunks.ids.length === 0) return { segments: [], blobs: [] };
    const writer = new SegmentWriter(next, this.holds, chunks);
    for (const [word, postings] of segment.buildPostings()) writer.put(word, postings);
    const entry = writer.finish({ first: chunks.ids[0]!, last: chunks.ids.at(-1)! });
    return { segments: [entry], blobs: writer.take() };
  }

  isDue({ state }: OpenedIndex, by: WorthMerging): boolean {
    return toMerge(state.listSegments(this.holds), by) !== null;
  }

  isLate({ state }: OpenedIndex): boolean {
    return isLate(state.listSegments(this.holds));
  }

  /** Makes one segment of several; null where none are worth it. */
  async merge(opened: OpenedIndex, next: Next, by: WorthMerging): Promise<WrittenChange | null> {
    const due = toMerge(opened.state.listSegments(this.holds), by);
    if (due === null) return null;
    const sources = due.map(({ id }) => getSegmentEntry(opened, id));
    const loaded = await this.load(opened);
    const byId = new Map(loaded.all.map((segment) => [segment.id, segment]));
    const segments = sources.map(({ id }) => byId.get(id)!);
    const merge = new SegmentMerge(segments.map((chunks) => ({ chunks, isGone: chunks.isGone })));
    const merged = sources.map(({ id }) => id);
    if (merge.chunks.ids.length === 0) return { change: { merged } };
    const writer = new SegmentWriter(next, this.holds, merge.chunks);
    // The bounds of the one with the most blocks: between two of them the others have about as many words.
    const largest = sources.reduce((a, b) => (b.blocks > a.blocks ? b : a));
    const bounds = this.getFirstWords(largest.id).filter((_, i) => i > 0 && i % blocksPerMerge === 0);
    for (let i = 0; i <= bounds.length; i++) {
      const [from, to] = [bounds[i - 1] ?? null, bounds[i] ?? null];
      for (const [word, parts] of await this.readWordsBetween(opened, segments, from, to)) {
        const postings = merge.mergePostings(parts);
        if (postings.chunks > 0) writer.put(word, postings);
      }
      // All of a large segment would take much memory.
      if (i < bounds.length) await opened.blobs.add(writer.take());
    }
    const entry = writer.finish({ first: sources[0]!.first, last: sources.at(-1)!.last });
    return { change: { merged, segments: [entry] }, blobs: writer.take() };
  }

  /** The words from one on and up to another, in their order, with what each segment has of them. */
  private async readWordsBetween(
    { blobs, state }: OpenedIndex,
    segments: readonly LoadedSegment[],
    from: string | null,
    to: string | null,
  ): Promise<[string, { source: number; postings: Postings }[]][]> {
    const parts = new Map<string, { source: number; postings: Postings }[]>();
    for (const [source, { id }] of segments.entries()) {
      const { block } = state.findSegment(id)!;
      const firsts = this.getFirstWords(id);
      const begin = from === null ? 0 : Math.max(0, placeIn(firsts, from));
      const numbers: number[] = [];
      for (let i = begin; i < firsts.length && (to === null || firsts[i]! < to); i++) numbers.push(block + i);
      // Not kept: they are about to go.
      for (const found of (await readBlocks(blobs, numbers, true)).values()) {
        found.words.forEach((word, i) => {
          if ((from !== null && word < from) || (to !== null && word >= to)) return;
          addTo(parts, word, { source, postings: slicePostings(found, i) });
        });
      }
    }
    return [...parts].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  // Reading

  async openWords(opened: OpenedIndex): Promise<StoredWords> {
    return new StoredWords(await this.load(opened), {
      lists: (words, segments) => this.find(opened, words, segments, false),
      places: (words, segments) => this.find(opened, words, segments, true),
    });
  }

  release(): void {
    this.blocks.clear();
  }

  /** @param withPlaces without, places are empty */
  private async find(
    opened: OpenedIndex,
    words: readonly string[],
    segments: LoadedSegments,
    withPlaces: boolean,
  ): Promise<WordsInSegments<Postings>> {
    const wanted: { word: string; segment: number; block: number }[] = [];
    for (const { id } of segments.all) {
      const { block } = getSegmentEntry(opened, id);
      const firsts = this.getFirstWords(id);
      for (const word of words) {
        const at = placeIn(firsts, word);
        if (at >= 0) wanted.push({ word, segment: id, block: block + at });
      }
    }
    const blocks = await this.readBlocksByNumber(
      opened,
      new Set(wanted.map(({ block }) => block)),
      withPlaces,
    );
    const found = new Map<string, Map<number, Postings>>();
    for (const { word, segment, block } of wanted) {
      const of = blocks.get(block)!;
      const at = placeIn(of.words, word);
      if (of.words[at] === word) getOrAddEntry(found, word).set(segment, slicePostings(of, at));
    }
    return found;
  }

  private async readBlocksByNumber(
    { blobs }: OpenedIndex,
    numbers: ReadonlySet<number>,
    withPlaces: boolean,
  ): Promise<Map<number, WordBlock>> {
    const blocks = new Map<number, WordBlock>();
    const unknown: number[] = [];
    for (const number of numbers) {
      const known = this.blocks.get(number);
      if (known === undefined || (withPlaces && known.places === null)) unknown.push(number);
      else blocks.set(number, known);
    }
    for (const [number, block] of await readBlocks(blobs, unknown, withPlaces)) {
      blocks.set(number, block);
      this.blocks.set(number, block);
    }
    return blocks;
  }

  private getFirstWords(segment: number): readonly string[] {
    const firsts = this.firsts.get(segment);
    // Merged while this question was asked.
    if (firsts === undefined) throw new Outdated("a segment is gone");
    return firsts;
  }

  /** The segments of now: those that are new are read. */
  private async load({ blobs, state }: OpenedIndex): Promise<LoadedSegments> {
    const stored = state.listSegments(this.holds);
    const gone = [...state.gone[this.holds]];
    const outdated = this.known.listOutdated(stored);
    if (outdated.length === 0 && this.known.all.length === stored.length) return this.known;
    const added = outdated.flatMap(({ stored: { id }, isKnown }) => (isKnown ? [] : [id]));
    const data = added.length === 0 ? new Map<number, Uint8Array>() : await blobs.read("segment", added);
    if (data.size < added.length) throw new Outdated("a segment is gone");
    for (const [id, bytes] of data) {
      const [, firsts] = splitParts(bytes);
      this.firsts.set(id, firsts!.length === 0 ? [] : decodeText(firsts!).split(" "));
    }
    const loaded = this.known.loadCurrent(stored, (one, before) => {
      const bytes = data.get(one.id);
      // Another question loaded it meanwhile, and lost it again.
      if (before === undefined && bytes === undefined) throw new Outdated("a segment is gone");
      const chunks = before ?? decodeChunks(splitParts(bytes!)[0]!, one.chunks);
      const ofSegment = one.gone === 0 ? [] : gone.filter((chunk) => findChunkPlace(chunks.ids, chunk) >= 0);
      return { chunks, isGone: markGoneChunks(chunks.ids, ofSegment) };
    });
    const inUse = new Set(stored.map(({ id }) => id));
    for (const id of this.firsts.keys()) if (!inUse.has(id)) this.firsts.delete(id);
    this.known = loaded;
    return loaded;
  }
}

function getSegmentEntry({ state }: OpenedIndex, segment: number): SegmentEntry {
  const entry = state.findSegment(segment);
  // Merged while this question was asked.
  if (entry === undefined) throw new Outdated("a segment is gone");
  return entry;
}
