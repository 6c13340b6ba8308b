import { allChunks, type ChunkFilter } from "../chunks/chunk-filter.ts";
import type { Memory } from "../memory.ts";

/**
 * Sessions with lines that a language model has yet to read for secrets (`scrub.llm`), by row. Until it has, they are
 * scrubbed by the rules alone, and not searched.
 */
export function withheldSessions(memory: Memory): number[] {
  return memory
    .prepare("SELECT s.id FROM jobs j JOIN sessions s ON s.uid = j.subject WHERE j.kind = 'deep-scrub'")
    .pluck()
    .all() as number[];
}

/** All chunks but those of withheld sessions. */
export function searchableChunks(memory: Memory): ChunkFilter {
  const withheld = withheldSessions(memory);
  return withheld.length === 0 ? allChunks : { ...allChunks, withheld };
}
