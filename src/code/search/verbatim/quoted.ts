import { computeRarity } from "../../../base/text/rarity.ts";
import type { ChunkId, SearchableIndex, SearchScope } from "../../../store/index/port.ts";
import { findHolders, type Holders } from "./holders.ts";
import type { Matcher } from "./matchers.ts";

/** Chunks that hold what a query quotes among other words. */
export interface Quoted {
  /** How much of it, 0 to 1: a rare text counts more. */
  shares: Map<ChunkId, number>;
  /** Lines on which it begins. */
  lines: Holders["chunks"];
  /** Those with a string that makes all of the query: its quotes are around what a program fills in. */
  makers: Set<ChunkId>;
  /** Every text was looked for in all files that may hold it. */
  isComplete: boolean;
}

/** Quotes that are looked for: they only say more of what is asked. */
const maxQuotes = 8;
/**
 * A text that so many files may hold says hardly anything about one of them. The clock does not decide how many are read: the
 * same question would get other answers on a busy machine.
 */
const quotedLimits = { limitMs: Number.POSITIVE_INFINITY, maxSteps: 3e6, maxFilesRead: 400 };

/** Finds what a query quotes, one text after the other: hardly any chunk holds all. */
export async function findQuoted(
  index: SearchableIndex,
  root: string,
  { matchers, scope, message }: { matchers: readonly Matcher[]; scope: SearchScope; message: string },
): Promise<Quoted> {
  const { chunks: total } = await index.countFrequencies([]);
  const makers = (await findHolders(index, root, [], scope, message)).chunks;
  const shares = new Map<ChunkId, number>();
  const lines: Holders["chunks"] = new Map(makers);
  const looked: { chunks: Holders["chunks"]; rarity: number }[] = [];
  let isComplete = true;
  for (const matcher of matchers.slice(0, maxQuotes)) {
    const { chunks, isIncomplete } = await findHolders(index, root, [matcher], scope, null, quotedLimits);
    isComplete &&= !isIncomplete;
    looked.push({ chunks, rarity: computeRarity(total, Math.max(chunks.size, 1)) });
  }
  const all = looked.reduce((sum, { rarity }) => sum + rarity, 0) || 1;
  for (const { chunks, rarity } of looked) {
    for (const [id, found] of chunks) {
      shares.set(id, (shares.get(id) ?? 0) + rarity / all);
      lines.set(
        id,
        [...new Set([...(lines.get(id) ?? []), ...found])].sort((a, b) => a - b),
      );
    }
  }
  for (const id of makers.keys()) shares.set(id, 1);
  return { shares, lines, makers: new Set(makers.keys()), isComplete };
}
