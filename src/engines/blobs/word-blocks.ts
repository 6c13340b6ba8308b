import { decodeVarints, pushVarint } from "../../base/text/varint.ts";
import type { Postings } from "../../store/index/words/postings.ts";
import { encodeChunks, type SegmentChunks } from "../../store/index/words/segment.ts";
import {
  type BlobStore,
  decodeText,
  encodeText,
  joinParts,
  type StoredBlob,
  splitParts,
} from "./blob-store.ts";
import type { Collection, Next, SegmentEntry } from "./state.ts";
import { Outdated } from "./store.ts";

/**
 * The postings of a segment stand in blocks: its words in their order, as many as fill a blob of about this size. An index of
 * millions of words has some thousand blocks, and a word is found by the first word of each. Bytes.
 */
const blockSize = 32_768;

/** A block in memory. Its places are read when a phrase asks for them. */
export interface WordBlock {
  words: string[];
  /** For each word its chunks, and where the list and the places of the next one begin. */
  counts: Uint32Array;
  listEnds: Uint32Array;
  placeEnds: Uint32Array;
  lists: Uint8Array;
  places: Uint8Array | null;
}

/** Makes the blobs of a segment: blocks as they fill up, and at the end one with its chunks and the first word of each block. */
export class SegmentWriter {
  private readonly block: number;
  private readonly firsts: string[] = [];
  private bytes = 0;
  private made: StoredBlob[] = [];
  private words: string[] = [];
  private sizes: number[] = [];
  private lists: Uint8Array[] = [];
  private places: Uint8Array[] = [];
  private size = 0;

  constructor(
    private readonly next: Next,
    private readonly holds: Collection,
    private readonly chunks: SegmentChunks,
  ) {
    this.block = next.words;
  }

  /** @param word beyond the one before */
  put(word: string, { chunks, list, places }: Postings): void {
    const bytes = word.length + list.length + places.length;
    if (this.size > 0 && this.size + bytes > blockSize) this.endBlock();
    this.words.push(word);
    for (const number of [chunks, list.length, places.length]) pushVarint(this.sizes, number);
    this.lists.push(list);
    this.places.push(places);
    this.size += bytes;
    this.bytes += bytes;
  }

  /** The blobs that were made since the last time. */
  take(): StoredBlob[] {
    const { made } = this;
    this.made = [];
    return made;
  }

  /** @param span ids of its chunks, no other segment has any between them */
  finish(span: Pick<SegmentEntry, "first" | "last">): SegmentEntry {
    if (this.size > 0) this.endBlock();
    const id = this.next.segment++;
    const { holds, chunks, firsts, bytes, block } = this;
    const parts = [encodeChunks(chunks), encodeText(firsts.join(" "))];
    this.made.push({ kind: "segment", number: id, bytes: joinParts(...parts) });
    return { id, holds, chunks: chunks.ids.length, gone: 0, ...span, bytes, block, blocks: firsts.length };
  }

  private endBlock(): void {
    const number = this.next.words++;
    const { words, sizes, lists, places } = this;
    const parts = [encodeText(words.join(" ")), Uint8Array.from(sizes), Buffer.concat(lists)];
    this.made.push({ kind: "words", number, bytes: joinParts(...parts) });
    this.made.push({ kind: "places", number, bytes: Buffer.concat(places) });
    this.firsts.push(words[0]!);
    this.size = 0;
    for (const emptied of [words, sizes, lists, places]) emptied.length = 0;
  }
}

/** By their numbers. @throws Outdated: one is gone */
export async function readBlocks(
  blobs: BlobStore,
  numbers: readonly number[],
  withPlaces: boolean,
): Promise<Map<number, WordBlock>> {
  if (numbers.length === 0) return new Map();
  const [stored, places] = await Promise.all([
    blobs.read("words", numbers),
    withPlaces ? blobs.read("places", numbers) : null,
  ]);
  if (stored.size < numbers.length || (places && places.size < numbers.length))
    throw new Outdated("blocks of words are gone");
  return new Map(
    numbers.map((number) => [number, decodeBlock(stored.get(number)!, places?.get(number) ?? null)]),
  );
}

function decodeBlock(bytes: Uint8Array, places: Uint8Array | null): WordBlock {
  const [text, sizes, lists] = splitParts(bytes);
  const words = decodeText(text!).split(" ");
  const counts = new Uint32Array(words.length);
  const listEnds = new Uint32Array(words.length + 1);
  const placeEnds = new Uint32Array(words.length + 1);
  const numbers = decodeVarints(sizes!, 3 * words.length) ?? [];
  for (let i = 0; i < words.length; i++) {
    counts[i] = numbers[3 * i]!;
    listEnds[i + 1] = listEnds[i]! + numbers[3 * i + 1]!;
    placeEnds[i + 1] = placeEnds[i]! + numbers[3 * i + 2]!;
  }
  return { words, counts, listEnds, placeEnds, lists: lists!, places };
}

/** Of the word at a place of a block. */
export function slicePostings(
  { counts, listEnds, placeEnds, lists, places }: WordBlock,
  at: number,
): Postings {
  return {
    chunks: counts[at]!,
    list: lists.subarray(listEnds[at]!, listEnds[at + 1]!),
    places: places?.subarray(placeEnds[at]!, placeEnds[at + 1]!) ?? new Uint8Array(),
  };
}

/** In memory. Bytes. */
export function measureBlock({ words, lists, places }: WordBlock): number {
  return words.length * 60 + lists.length + (places?.length ?? 0);
}

/** The last of some words in their order that is not beyond another; -1 for none. */
export function placeIn(words: readonly string[], word: string): number {
  let [from, to] = [0, words.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (words[middle]! <= word) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}
