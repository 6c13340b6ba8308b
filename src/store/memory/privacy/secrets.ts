import { randomBytes } from "node:crypto";
import { insertInto, selectColumns } from "../../tables/statements.ts";
import type { TableRow } from "../../tables/table.ts";
import { secrets } from "../../tables/transcripts.ts";
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
export function listWithheldSessions(memory: Memory): number[] {
  return memory.readColumn<number>(`SELECT s.id FROM jobs j JOIN sessions s ON s.uid = j.subject
    WHERE j.kind = 'deep-scrub' AND json_extract(j.payload, '$.old_lines') IS NOT 1`);
}

/** The beginning of a `meta` key, before a session's row: the place of its last line that a language model has read. */
const readName = "deep scrubbed ";

/** The place of the last line of a session that a language model has read; -1 when it has read none. */
export const findLastLineRead = (memory: Memory, sessionId: number): number =>
  Number(memory.readMeta(readName + sessionId) ?? -1);

export const saveLastLineRead = (memory: Memory, sessionId: number, seq: number): void =>
  memory.setMeta(readName + sessionId, String(seq));

/** Stored sessions with lines that no language model has read, and that wait for none, by uid. The newest first. */
export function listUnreadSessions(memory: Memory): string[] {
  return memory.readColumn<string>(
    `SELECT uid FROM sessions s
     WHERE EXISTS (SELECT 1 FROM turns WHERE session_id = s.id)
       AND NOT EXISTS (SELECT 1 FROM jobs WHERE kind = 'deep-scrub' AND subject = s.uid)
       AND coalesce((SELECT max(seq) FROM lines WHERE session_id = s.id), 0)
         > coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = ? || s.id), -1)
     ORDER BY last_at DESC`,
    readName,
  );
}

/** All chunks but those of withheld sessions. */
export function buildSearchableFilter(memory: Memory): ChunkFilter {
  const withheld = listWithheldSessions(memory);
  // The full-text index knows chunks that a memory hides.
  return withheld.length === 0 && memory.whole === null ? allChunks : { ...allChunks, withheld };
}

const keyName = "secrets key";

/** The key of this memory's fingerprints of secrets (redact/scrubber.ts); made when it is first asked for. */
export function ensureSecretKey(memory: Memory): Uint8Array {
  return memory.runInTransaction(() => {
    const known = memory.readMeta(keyName);
    if (known !== null) return Buffer.from(known, "hex");
    const key = randomBytes(32);
    memory.setMeta(keyName, key.toString("hex"));
    return key;
  });
}

/** Which of a session's secrets of a type is which; see redact/scrubber.ts. */
export type SecretRecord = Omit<TableRow<typeof secrets>, "sessionId">;

export function listSecrets(memory: Memory, sessionId: number): SecretRecord[] {
  return memory.all<SecretRecord>(
    `SELECT ${selectColumns(secrets, { except: ["sessionId"] })} FROM secrets WHERE session_id = ? ORDER BY type, number`,
    sessionId,
  );
}

/** Adds secrets of a session; those that are known keep their number. */
export function saveSecrets(memory: Memory, sessionId: number, found: readonly SecretRecord[]): void {
  if (found.length === 0) return;
  memory.runInTransaction(() => {
    const insert = memory.prepare(`${insertInto(secrets)} ON CONFLICT DO NOTHING`);
    for (const secret of found) insert.run({ ...secret, sessionId });
  });
}

/** How many different secrets of each type were replaced, and in how many sessions: those with the most first. */
export function countSecrets(memory: Memory): {
  types: { type: string; secrets: number; sessions: number }[];
  sessions: number;
} {
  const types = memory.all<{
    type: string;
    secrets: number;
    sessions: number;
  }>(`SELECT type, count(DISTINCT fingerprint) AS secrets, count(DISTINCT session_id) AS sessions
    FROM secrets GROUP BY type ORDER BY secrets DESC, type`);
  const { sessions } = memory.get<{ sessions: number }>(
    "SELECT count(DISTINCT session_id) AS sessions FROM secrets",
  );
  return { types, sessions };
}
