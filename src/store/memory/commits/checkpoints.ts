import { addTo } from "../../../base/multimap.ts";
import { checkpointSessions, checkpoints } from "../../tables/checkpoints.ts";
import { insertInto, readRow, selectColumns, storeRow, upsertInto } from "../../tables/statements.ts";
import type { TableRow } from "../../tables/table.ts";
import { requeueCommits } from "../jobs/jobs.ts";
import type { Memory } from "../memory.ts";
import type { Binding, CheckpointRecord, CommitRecord } from "../memory-records.ts";
import { requireOnly } from "../the-only.ts";
import { findForgottenAmong } from "./attributions.ts";
import { commitColumns, toCommitRecord } from "./commits.ts";

/** A checkpoint to store. */
export interface CheckpointToStore extends Omit<CheckpointRecord, "commit" | "id"> {
  /** Row of `commits`. */
  commitId: number;
}

const idLength = 12;

interface CheckpointRow extends Omit<TableRow<typeof checkpoints>, "commitId">, CommitRecord {
  /** Binding[], JSON. */
  sessions: string;
}

const sessionsOf = `(SELECT json_group_array(json_object('sessionUid', session_uid, 'turns', json(turns), 'lines', lines,
    'how', how, 'confidence', confidence) ORDER BY lines DESC, session_uid)
  FROM checkpoint_sessions WHERE checkpoint_uid = checkpoints.uid)`;

const selected = `SELECT ${commitColumns}, ${selectColumns(checkpoints, { of: "checkpoints", except: ["commitId"] })},
    ${sessionsOf} AS sessions
  FROM checkpoints JOIN commits ON commits.id = checkpoints.commit_id`;

const readCheckpointRow = (row: object): CheckpointRecord => {
  const { uid, parentUid, agentState, createdAt, sessions, ...stored } = readRow<CheckpointRow>(
    checkpoints,
    row,
  );
  const commit = toCommitRecord(stored);
  const id = commit.hash.slice(0, idLength);
  return { uid, parentUid, agentState, createdAt, id, commit, sessions: JSON.parse(sessions) as Binding[] };
};

/**
 * Adds a checkpoint, or puts it in place of the commit's. Sessions that were forgotten are left out; without a session
 * there is no checkpoint, and one that was there goes.
 * @returns whether there is one now
 */
export function saveCheckpoint(memory: Memory, checkpoint: CheckpointToStore): boolean {
  return memory.runInTransaction(() => {
    const { uid, commitId } = checkpoint;
    const forgotten = findForgottenAmong(
      memory,
      checkpoint.sessions.map(({ sessionUid }) => sessionUid),
    );
    const sessions = checkpoint.sessions.filter(({ sessionUid }) => !forgotten.has(sessionUid));
    if (sessions.length === 0) {
      dropCheckpoint(memory, commitId);
      return false;
    }
    memory.prepare(upsertInto(checkpoints, ["uid"])).run(storeRow(checkpoints, checkpoint));
    memory.prepare("DELETE FROM checkpoint_sessions WHERE checkpoint_uid = ?").run(uid);
    const insert = memory.prepare(insertInto(checkpointSessions));
    for (const binding of sessions) {
      insert.run({ ...binding, checkpointUid: uid, turns: [...binding.turns].sort((a, b) => a - b) });
    }
    return true;
  });
}

/** Drops the checkpoint of a commit, if it has one; its children get its parent. */
export function dropCheckpoint(memory: Memory, commitId: number): void {
  memory.runInTransaction(() => {
    const gone = memory.get<{ uid: string; parent: string | null } | null>(
      "DELETE FROM checkpoints WHERE commit_id = ? RETURNING uid, parent_uid AS parent",
      commitId,
    );
    if (!gone) return;
    memory.prepare("UPDATE checkpoints SET parent_uid = @parent WHERE parent_uid = @uid").run(gone);
  });
}

/** Sets the parents of checkpoints; ones that are gone are left out. */
export function saveParents(memory: Memory, parents: ReadonlyMap<string, string | null>): void {
  if (parents.size === 0) return;
  memory.runInTransaction(() => {
    const update = memory.prepare(
      "UPDATE checkpoints SET parent_uid = @parent WHERE uid = @uid AND parent_uid IS NOT @parent",
    );
    for (const [uid, parent] of parents) update.run({ uid, parent });
  });
}

export function findCheckpointOfCommit(memory: Memory, hash: string): CheckpointRecord | null {
  const row = memory.prepare(`${selected} WHERE commits.hash = ?`).get(hash);
  return row ? readCheckpointRow(row) : null;
}

/** null when there is none, or it is gone. */
export function findCheckpointByUid(memory: Memory, uid: string): CheckpointRecord | null {
  const row = memory.prepare(`${selected} WHERE checkpoints.uid = ?`).get(uid);
  return row ? readCheckpointRow(row) : null;
}

/** Every checkpoint that was committed since a time (default: ever), without what is in it; the latest first. */
export function listCheckpointPlaces(
  memory: Memory,
  since = 0,
): { uid: string; hash: string; parentUid: string | null }[] {
  return memory.all<{ uid: string; hash: string; parentUid: string | null }>(
    `SELECT checkpoints.uid, commits.hash, parent_uid AS parentUid
     FROM checkpoints JOIN commits ON commits.id = commit_id WHERE committed_at >= ?
     ORDER BY committed_at DESC, commits.id DESC`,
    since,
  );
}

/** Ids of the checkpoints that come right after one, the earliest commit first. */
export function listCheckpointsAfter(memory: Memory, uid: string): string[] {
  return memory.readColumn<string>(
    `SELECT substr(hash, 1, ${idLength}) FROM checkpoints JOIN commits ON commits.id = commit_id WHERE parent_uid = ?
     ORDER BY committed_at, commits.id`,
    uid,
  );
}

export interface CheckpointFilter {
  /** A session's uid; its subagents' count as its own. */
  session?: string | null | undefined;
  branch?: string | null | undefined;
  /** A file or directory that the commit changed. */
  file?: string | null | undefined;
  /** By the time of the commit, both ends included. */
  since?: number | null | undefined;
  until?: number | null | undefined;
  limit?: number | undefined;
}

const conditions = `WHERE (@branch IS NULL OR commits.branch = @branch)
  AND (@file IS NULL OR commits.id IN (SELECT commit_id FROM commit_files
    WHERE path = @file OR old_path = @file OR (path > @file || '/' AND path < @file || '0')))
  AND (@since IS NULL OR commits.committed_at >= @since) AND (@until IS NULL OR commits.committed_at <= @until)
  AND (@session IS NULL OR checkpoints.uid IN (SELECT checkpoint_uid FROM checkpoint_sessions
    WHERE session_uid = @session OR (session_uid > @session || '/' AND session_uid < @session || '0')))`;

const toFilterParameters = ({
  session = null,
  branch = null,
  file = null,
  since = null,
  until = null,
}: CheckpointFilter) => ({
  session,
  branch,
  file,
  since,
  until,
});

/** Checkpoints, the latest commit first. */
export function listCheckpoints(memory: Memory, filter: CheckpointFilter = {}): CheckpointRecord[] {
  return memory
    .all<object>(
      `${selected} ${conditions} ORDER BY commits.committed_at DESC, commits.id DESC LIMIT @limit`,
      {
        ...toFilterParameters(filter),
        limit: filter.limit ?? -1,
      },
    )
    .map(readCheckpointRow);
}

/** How many there are, whatever the limit. */
export function countCheckpoints(memory: Memory, filter: CheckpointFilter = {}): number {
  return memory.readValue<number>(
    `SELECT count(*) FROM checkpoints JOIN commits ON commits.id = checkpoints.commit_id ${conditions}`,
    toFilterParameters(filter),
  );
}

/**
 * The checkpoint that a person means: its id or its commit's hash, or a beginning of either that no other has.
 * @throws PommelError `not_found`; `usage` when several begin so
 */
export function findCheckpoint(memory: Memory, name: string): CheckpointRecord {
  const beginning = name.trim().toLowerCase();
  const exact = findCheckpointByUid(memory, beginning) ?? findCheckpointOfCommit(memory, beginning);
  if (exact) return exact;
  const found = /^[0-9a-f]+$/.test(beginning)
    ? memory
        .all<object>(
          `${selected} WHERE (checkpoints.uid >= @beginning AND checkpoints.uid < @beginning || 'g')
             OR (commits.hash >= @beginning AND commits.hash < @beginning || 'g')
           ORDER BY commits.committed_at DESC LIMIT 4`,
          { beginning },
        )
        .map(readCheckpointRow)
    : [];
  return requireOnly(found, {
    kind: "checkpoint",
    asked: name,
    idOf: ({ id }) => id,
    hint: "`pm checkpoint list` lists them; `pm checkpoint backfill` finds more in the history.",
  });
}

/** The checkpoints that sessions led to, with the turns of each, by session; the latest commit first. */
export function readCheckpointsOfSessions(
  memory: Memory,
  sessionUids: readonly string[],
): Map<string, { checkpoint: CheckpointRecord; turns: number[] }[]> {
  const wanted = new Set(sessionUids);
  const rows = memory
    .all<object>(
      `${selected} WHERE checkpoints.uid IN (SELECT checkpoint_uid FROM checkpoint_sessions
         WHERE session_uid IN (SELECT value FROM json_each(?)))
       ORDER BY commits.committed_at DESC, commits.id DESC`,
      [...wanted],
    )
    .map(readCheckpointRow);
  const found = new Map<string, { checkpoint: CheckpointRecord; turns: number[] }[]>();
  for (const checkpoint of rows) {
    for (const { sessionUid, turns } of checkpoint.sessions) {
      if (!wanted.has(sessionUid)) continue;
      addTo(found, sessionUid, { checkpoint, turns });
    }
  }
  return found;
}

/** How many commits of each author sessions certainly led to that ran below a directory. @param dir with its last slash */
export function countCommitsByAuthor(memory: Memory, dir: string, certain: number): Map<string, number> {
  const rows = memory.all<{ author: string; count: number }>(
    `SELECT commits.author, count(DISTINCT commits.id) AS count
     FROM sessions JOIN checkpoint_sessions b ON b.session_uid = sessions.uid
       JOIN checkpoints c ON c.uid = b.checkpoint_uid JOIN commits ON commits.id = c.commit_id
     WHERE substr(sessions.cwd, 1, length(@dir)) = @dir AND b.confidence >= @certain
     GROUP BY commits.author`,
    { dir, certain },
  );
  return new Map(rows.map(({ author, count }) => [author, count]));
}

/** What forgetting takes out of checkpoints, of who wrote which lines, and of events. Parts of a transaction. */

/** Of a session that is forgotten nothing is left but that an agent wrote the lines it wrote. */
export function forgetInCheckpoints(memory: Memory, session: string): void {
  // Another session may have had a part in them that this one's hid.
  requeueCommits(memory, listCommitsOfSession(memory, session));
  clearAuthors(memory, "session_uid = @session", { session });
  memory.prepare("DELETE FROM event_links WHERE kind = 'session' AND target_uid = ?").run(session);
  for (const uid of listCheckpointsOfSession(memory, session)) removeSession(memory, uid, session);
}

/** Of turns that are forgotten; with the last of its turns the session goes from a checkpoint. */
export function forgetTurnsInCheckpoints(memory: Memory, session: string, numbers: readonly number[]): void {
  requeueCommits(memory, listCommitsOfSession(memory, session));
  const given = { session, numbers };
  const condition = "session_uid = @session AND turn IN (SELECT value FROM json_each(@numbers))";
  const lost = memory.all<{ uid: string; lines: number }>(
    `SELECT checkpoints.uid, sum(last_line - first_line + 1) AS lines
     FROM attributions JOIN checkpoints USING (commit_id) WHERE ${condition} GROUP BY checkpoints.uid`,
    given,
  );
  const lines = new Map(lost.map(({ uid, lines }) => [uid, lines]));
  clearAuthors(memory, condition, given);
  const gone = new Set(numbers);
  for (const uid of listCheckpointsOfSession(memory, session)) {
    const bound = memory.readValue<string>(
      "SELECT turns FROM checkpoint_sessions WHERE checkpoint_uid = ? AND session_uid = ?",
      uid,
      session,
    );
    const turns = JSON.parse(bound) as number[];
    const left = turns.filter((turn) => !gone.has(turn));
    // The title and texts may come from a forgotten turn.
    forgetState(memory, uid, session);
    if (left.length === turns.length) continue;
    if (left.length === 0) removeSession(memory, uid, session);
    else {
      memory
        .prepare(
          `UPDATE checkpoint_sessions SET turns = @turns, lines = max(lines - @lines, 0)
           WHERE checkpoint_uid = @uid AND session_uid = @session`,
        )
        .run({ uid, session, turns: left, lines: lines.get(uid) ?? 0 });
    }
  }
}

function clearAuthors(memory: Memory, condition: string, given: object): void {
  memory
    .prepare(`UPDATE attributions SET session_uid = NULL, turn = NULL, tool_use = NULL WHERE ${condition}`)
    .run(given);
}

/** Hashes of the commits that a session led to, or wrote lines of. */
const listCommitsOfSession = (memory: Memory, session: string): string[] =>
  memory.readColumn<string>(
    `SELECT hash FROM commits WHERE id IN (SELECT commit_id FROM attributions WHERE session_uid = @session
       UNION SELECT commit_id FROM checkpoints JOIN checkpoint_sessions ON checkpoint_uid = uid WHERE session_uid = @session)`,
    { session },
  );

function listCheckpointsOfSession(memory: Memory, session: string): string[] {
  return memory.readColumn<string>(
    "SELECT checkpoint_uid FROM checkpoint_sessions WHERE session_uid = ?",
    session,
  );
}

/** Takes a session out of a checkpoint; without another one the checkpoint goes, and with it its place in events. */
function removeSession(memory: Memory, uid: string, session: string): void {
  forgetState(memory, uid, session);
  memory
    .prepare("DELETE FROM checkpoint_sessions WHERE checkpoint_uid = ? AND session_uid = ?")
    .run(uid, session);
  const commitId = memory
    .prepare(
      `SELECT commit_id FROM checkpoints WHERE uid = ?
         AND NOT EXISTS (SELECT 1 FROM checkpoint_sessions WHERE checkpoint_uid = uid)`,
    )
    .pluck()
    .get(uid) as number | undefined;
  if (commitId === undefined) return;
  memory.prepare("DELETE FROM event_links WHERE kind = 'checkpoint' AND target_uid = ?").run(uid);
  dropCheckpoint(memory, commitId);
}

function forgetState(memory: Memory, uid: string, session: string): void {
  const stored = memory.prepare("SELECT agent_state FROM checkpoints WHERE uid = ?").pluck().get(uid);
  const state = JSON.parse(stored as string) as Record<string, unknown>;
  if (!(session in state)) return;
  delete state[session];
  memory.prepare("UPDATE checkpoints SET agent_state = ? WHERE uid = ?").run(JSON.stringify(state), uid);
}
