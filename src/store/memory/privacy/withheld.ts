import { allChunks, type ChunkFilter } from "../chunks/chunk-filter.ts";
import type { Memory } from "../memory.ts";

/**
 * Payload of a `deep-scrub` job: the session could be searched and shared before, and stays so while it waits. Lines
 * that come meanwhile make it a job for new lines.
 */
export const ofOldLines = { old_lines: true } as const;

/**
 * Sessions with new lines that a language model has yet to read for secrets (`scrub.llm`), by row. Until it has, they
 * are scrubbed by the rules alone, and neither searched nor shared.
 */
export function withheldSessions(memory: Memory): number[] {
  return memory
    .prepare(
      `SELECT s.id FROM jobs j JOIN sessions s ON s.uid = j.subject
       WHERE j.kind = 'deep-scrub' AND json_extract(j.payload, '$.old_lines') IS NOT 1`,
    )
    .pluck()
    .all() as number[];
}

/** The beginning of a `meta` key, before a session's row: the place of its last line that a language model has read. */
const readName = "deep scrubbed ";

/** The place of the last line of a session that a language model has read; -1 when it has read none. */
export const lastLineRead = (memory: Memory, sessionId: number): number =>
  Number(memory.meta(readName + sessionId) ?? -1);

export const saveLastLineRead = (memory: Memory, sessionId: number, seq: number): void =>
  memory.setMeta(readName + sessionId, String(seq));

/** Stored sessions with lines that no language model has read, and that wait for none, by uid. The newest first. */
export function unreadSessions(memory: Memory): string[] {
  return memory
    .prepare(
      `SELECT uid FROM sessions s
       WHERE EXISTS (SELECT 1 FROM turns WHERE session_id = s.id)
         AND NOT EXISTS (SELECT 1 FROM jobs WHERE kind = 'deep-scrub' AND subject = s.uid)
         AND coalesce((SELECT max(seq) FROM lines WHERE session_id = s.id), 0)
           > coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = ? || s.id), -1)
       ORDER BY last_at DESC`,
    )
    .pluck()
    .all(readName) as string[];
}

/** All chunks but those of withheld sessions. */
export function searchableChunks(memory: Memory): ChunkFilter {
  const withheld = withheldSessions(memory);
  return withheld.length === 0 ? allChunks : { ...allChunks, withheld };
}
