import { addTo } from "../../../base/multimap.ts";
import { certain } from "../../../protocol/reading/evidence.ts";
import type { BindingHow } from "../../../protocol/values.ts";
import type { Memory } from "../memory.ts";

/** A commit that turns of a session led to, with what a search shows of it. */
export interface LedTo {
  sessionUid: string;
  /** Ascending. */
  turns: number[];
  /** Row of `commits`. */
  commitId: number;
  hash: string;
  subject: string;
  committedAt: number;
  patchId: string | null;
  rewrittenFrom: string[];
  /** That the session led to it, from 0 to 1, and what shows it. */
  confidence: number;
  how: BindingHow;
}

/** The commits that sessions led to, by session, the latest first. */
export function readCommitsOfSessions(memory: Memory, sessionUids: readonly string[]): Map<string, LedTo[]> {
  const rows = memory.all<
    Omit<LedTo, "turns" | "rewrittenFrom"> & {
      turns: string;
      rewrittenFrom: string;
    }
  >(
    `SELECT s.session_uid AS sessionUid, s.turns, c.id AS commitId, c.hash,
       c.subject, c.committed_at AS committedAt, c.patch_id AS patchId, c.rewritten_from AS rewrittenFrom, s.confidence, s.how
     FROM checkpoint_sessions s JOIN checkpoints p ON p.uid = s.checkpoint_uid JOIN commits c ON c.id = p.commit_id
     WHERE s.session_uid IN (SELECT value FROM json_each(?)) ORDER BY c.committed_at DESC, c.id DESC`,
    sessionUids,
  );
  const found = new Map<string, LedTo[]>();
  for (const row of rows) {
    addTo(found, row.sessionUid, {
      ...row,
      turns: JSON.parse(row.turns),
      rewrittenFrom: JSON.parse(row.rewrittenFrom),
    });
  }
  return found;
}

/** Whether a session certainly led to one of these at a time, or later: it has what the session had when it ended. */
export const isCommittedAfter = (commits: readonly LedTo[], at: number): boolean =>
  commits.some(({ committedAt, confidence }) => confidence >= certain && committedAt >= at);

/** Commits that took the place of others, or change the same, however many steps later: by the one that was asked for. */
export function findSuccessors(memory: Memory, hashes: readonly string[]): Map<string, string[]> {
  const rows = memory.all<{ origin: string; hash: string }>(
    `WITH RECURSIVE later (origin, hash, steps) AS (
       SELECT value, value, 0 FROM json_each(?)
       UNION
       SELECT origin, next.hash, steps + 1 FROM later, commits next WHERE steps < 8
         AND next.rewritten_from <> '[]'
         AND EXISTS (SELECT 1 FROM json_each(next.rewritten_from) r WHERE r.value = later.hash)
       UNION
       SELECT origin, next.hash, steps + 1 FROM later JOIN commits known ON known.hash = later.hash
         JOIN commits next ON next.patch_id = known.patch_id WHERE steps < 8)
     SELECT DISTINCT origin, later.hash FROM later JOIN commits ON commits.hash = later.hash
     WHERE later.hash <> origin ORDER BY committed_at DESC`,
    hashes,
  );
  const found = new Map<string, string[]>();
  for (const { origin, hash } of rows) addTo(found, origin, hash);
  return found;
}

/** What a file was renamed to since a time, by the commits that are known; null where none says so. */
export function findRenamedPath(memory: Memory, path: string, since: number): string | null {
  const step = memory
    .prepare(
      `SELECT path FROM commit_files JOIN commits ON commits.id = commit_id
       WHERE old_path = ? AND status = 'R' AND committed_at >= ? ORDER BY committed_at DESC LIMIT 1`,
    )
    .pluck();
  let now = path;
  for (let steps = 0; steps < 20; steps++) {
    const next = step.get(now, since) as string | undefined;
    if (next === undefined || next === path) break;
    now = next;
  }
  return now === path ? null : now;
}
