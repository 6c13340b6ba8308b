import { nameKey } from "../../../base/text/tokens.ts";
import type { ScoredRow } from "../../best.ts";
import type { ChunkId, Definition, FieldWeights } from "../port.ts";
import { buildPhraseList } from "./holders.ts";
import type { FoundList, LoadedSegment, LoadedSegments } from "./loaded-segments.ts";
import { type Postings, PostingsReader } from "./postings.ts";
import { toNameWord } from "./segment.ts";

/** What segments have of words: by word and by segment. Words that none has are missing. */
export type WordsInSegments<T> = ReadonlyMap<string, ReadonlyMap<number, T>>;

/** Reads postings of many words at once, as each question to an engine that is elsewhere takes its time. */
export interface PostingsSource {
  lists(words: readonly string[], segments: LoadedSegments): Promise<WordsInSegments<FoundList>>;
  places(words: readonly string[], segments: LoadedSegments): Promise<WordsInSegments<Postings>>;
}

const noLists: ReadonlyMap<number, FoundList> = new Map();

/** The words of an index at one time, for engines that are asked asynchronously. */
export class StoredWords {
  constructor(
    private readonly segments: LoadedSegments,
    private readonly source: PostingsSource,
  ) {}

  /** As `LoadedSegments.best`; a token of several words with blanks between them is a phrase. */
  async findBest(
    tokens: readonly string[],
    weights: FieldWeights,
    k: number,
    inScope: (segment: LoadedSegment, place: number) => boolean,
  ): Promise<ScoredRow[]> {
    if (tokens.length === 0 || k < 1) return [];
    return this.segments.findBest(tokens, await this.readTokenLists(tokens), weights, k, inScope);
  }

  /** How many chunks there are, and in how many of them each token occurs; absent tokens are missing. */
  async countFrequencies(
    tokens: readonly string[],
  ): Promise<{ chunks: number; holding: Map<string, number> }> {
    const { segments } = this;
    const unknown = tokens.filter((token) => segments.all.some(({ holding }) => !holding.has(token)));
    const lists = await this.readTokenLists(unknown);
    const found = new Map(unknown.map((token, i) => [token, lists[i]!]));
    const holding = new Map<string, number>();
    for (const token of tokens) {
      const count = segments.countHolding(token, ({ id }) => found.get(token)?.get(id));
      if (count > 0) holding.set(token, count);
    }
    return { chunks: segments.total, holding };
  }

  /** For each phrase the chunks that hold it, at most so many, the oldest first. */
  async findPhraseHolders(phrases: readonly string[], limit: number): Promise<ChunkId[][]> {
    const places = await this.readPhrasePlaces(phrases);
    return this.segments.findPhraseHolders(phrases, limit, (word, { id }) => places.get(word)?.get(id));
  }

  /** For each name the chunks that define it, ascending, at most so many. @param keys `nameKey` of the names */
  async findDefiners(keys: readonly string[], limit: number): Promise<number[][]> {
    const lists = await this.source.lists(keys.map(toNameWord), this.segments);
    return keys.map((key) => findDefiningChunks(this.segments, lists.get(toNameWord(key)) ?? noLists, limit));
  }

  /** For each token what each segment has of it. */
  private async readTokenLists(tokens: readonly string[]): Promise<ReadonlyMap<number, FoundList>[]> {
    const words = [...new Set(tokens.filter((token) => !token.includes(" ")))];
    const found = await this.source.lists(words, this.segments);
    const places = await this.readPhrasePlaces(tokens.filter((token) => token.includes(" ")));
    return tokens.map((token) => {
      if (!token.includes(" ")) return found.get(token) ?? noLists;
      const ofPhrase = new Map<number, FoundList>();
      for (const { id } of this.segments.all) {
        const ofWords = token.split(" ").map((word) => places.get(word)?.get(id));
        if (ofWords.every((one) => one !== undefined)) ofPhrase.set(id, buildPhraseList(ofWords));
      }
      return ofPhrase;
    });
  }

  private async readPhrasePlaces(phrases: readonly string[]): Promise<WordsInSegments<Postings>> {
    const words = [...new Set(phrases.flatMap((phrase) => phrase.split(" ")))];
    return words.length === 0 ? new Map() : this.source.places(words, this.segments);
  }
}

/** The chunks that have the word of a name, ascending, at most so many. @param lists what each segment has of it */
export function findDefiningChunks(
  segments: LoadedSegments,
  lists: ReadonlyMap<number, FoundList>,
  limit: number,
): number[] {
  const chunks: number[] = [];
  for (const { id, ids, isGone } of lists.size === 0 ? [] : segments.all) {
    const found = lists.get(id);
    if (found === undefined) continue;
    const reader = new PostingsReader(found.list);
    while (chunks.length < limit && reader.next()) {
      if (!isGone?.[reader.chunk]) chunks.push(ids[reader.chunk]!);
    }
  }
  return chunks;
}

/** Definitions of each key, at most so many, in the order of the keys. @param symbols those of the chunks that define any */
export function groupDefinitionsByKey(
  keys: readonly string[],
  symbols: Iterable<Omit<Definition, "key">>,
  limit: number,
): Definition[] {
  const byKey = new Map<string, Definition[]>(keys.map((key) => [key, []]));
  for (const symbol of symbols) {
    const key = nameKey(symbol.name);
    const found = byKey.get(key);
    if (found !== undefined && found.length < limit) found.push({ key, ...symbol });
  }
  return [...byKey.values()].flat();
}

/** The entry of a word, made where there is none. */
export function getOrAddEntry<V>(map: Map<string, Map<number, V>>, key: string): Map<number, V> {
  let entry = map.get(key);
  if (entry === undefined) {
    entry = new Map();
    map.set(key, entry);
  }
  return entry;
}
