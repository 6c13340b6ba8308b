import { decodeVarints, pushVarint } from "../../../text/varint.ts";
import type { Postings } from "../words/postings.ts";
import type { Row } from "./engine.ts";
import type { Collection, Next, SegmentEntry } from "./state.ts";
import { type layouts, type Opened, Outdated } from "./store.ts";

/**
 * The postings of a segment stand in blocks: its words in their order, as many as fill a row of about this size. A table of
 * millions of words has some thousand rows, which are found by their numbers without an index. Bytes.
 */
const blockSize = 32_768;
/** Blocks that are added, or merged, together. */
export const blocksTogether = 64;
type BlockRow = Row<typeof layouts.words>;

/** A block in memory. Its places are read when a phrase asks for them. */
export interface Block {
  words: string[];
  /** For each word its chunks, and where the list and the places of the next one begin. */
  counts: Uint32Array;
  listEnds: Uint32Array;
  placeEnds: Uint32Array;
  lists: Uint8Array;
  places: Uint8Array | null;
}

/** Adds blocks as they fill up; a row before them has the chunks. */
export class SegmentWriter {
  private readonly first: number;
  private blocks = 0;
  private bytes = 0;
  private readonly rows: BlockRow[] = [];
  private words: string[] = [];
  private sizes: number[] = [];
  private lists: Uint8Array[] = [];
  private places: Uint8Array[] = [];
  private size = 0;

  constructor(
    private readonly opened: Opened,
    private readonly next: Next,
    private readonly holds: Collection,
    chunks: Uint8Array,
  ) {
    this.first = next.block++;
    const nothing = new Uint8Array();
    this.rows.push({
      block: this.first,
      first: "",
      words: "",
      sizes: nothing,
      lists: chunks,
      places: nothing,
    });
  }

  async put(word: string, { chunks, list, places }: Postings): Promise<void> {
    const bytes = word.length + list.length + places.length;
    if (this.size > 0 && this.size + bytes > blockSize) await this.endBlock();
    this.words.push(word);
    for (const number of [chunks, list.length, places.length]) pushVarint(this.sizes, number);
    this.lists.push(list);
    this.places.push(places);
    this.size += bytes;
    this.bytes += bytes;
  }

  async finish(chunks: Pick<SegmentEntry, "chunks" | "first" | "last">): Promise<SegmentEntry> {
    await this.endBlock();
    await this.flush();
    const { holds, bytes, blocks, first: block } = this;
    return { id: this.next.segment++, holds, ...chunks, gone: 0, bytes, block, blocks };
  }

  private async endBlock(): Promise<void> {
    if (this.size === 0) return;
    const { words, sizes, lists, places } = this;
    this.rows.push({
      block: this.next.block++,
      first: words[0]!,
      words: words.join(" "),
      sizes: Uint8Array.from(sizes),
      lists: Buffer.concat(lists),
      places: Buffer.concat(places),
    });
    this.blocks++;
    this.size = 0;
    for (const emptied of [words, sizes, lists, places]) emptied.length = 0;
    if (this.rows.length >= 4 * blocksTogether) await this.flush();
  }

  private async flush(): Promise<void> {
    await this.opened.tables.words.add(this.rows);
    this.rows.length = 0;
  }
}

/** By their numbers. @throws Outdated: one is gone */
export async function readBlocks(
  { tables }: Opened,
  numbers: readonly number[],
  withPlaces: boolean,
): Promise<Map<number, Block>> {
  if (numbers.length === 0) return new Map();
  const columns = ["block", "words", "sizes", "lists", ...(withPlaces ? (["places"] as const) : [])] as const;
  const rows = (await tables.words.among(columns, "block", numbers)) as (Omit<BlockRow, "first" | "places"> &
    Partial<Pick<BlockRow, "places">>)[];
  if (rows.length < numbers.length) throw new Outdated("blocks of words are gone");
  rows.sort((a, b) => a.block - b.block);
  return new Map(
    rows.map(({ block, words, sizes, lists, places }) => [
      block,
      { ...decoded(words.split(" "), sizes), lists, places: places ?? null },
    ]),
  );
}

function decoded(words: string[], sizes: Uint8Array) {
  const counts = new Uint32Array(words.length);
  const listEnds = new Uint32Array(words.length + 1);
  const placeEnds = new Uint32Array(words.length + 1);
  const numbers = decodeVarints(sizes, 3 * words.length) ?? [];
  for (let i = 0; i < words.length; i++) {
    counts[i] = numbers[3 * i]!;
    listEnds[i + 1] = listEnds[i]! + numbers[3 * i + 1]!;
    placeEnds[i + 1] = placeEnds[i]! + numbers[3 * i + 2]!;
  }
  return { words, counts, listEnds, placeEnds };
}

/** Of the word at a place of a block. */
export function postingsIn({ counts, listEnds, placeEnds, lists, places }: Block, at: number): Postings {
  return {
    chunks: counts[at]!,
    list: lists.subarray(listEnds[at]!, listEnds[at + 1]!),
    places: places?.subarray(placeEnds[at]!, placeEnds[at + 1]!) ?? new Uint8Array(),
  };
}

/** In memory. Bytes. */
export function sizeOf({ words, lists, places }: Block): number {
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
