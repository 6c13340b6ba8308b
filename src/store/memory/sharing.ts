import { addTo } from "../../base/multimap.ts";
import { selectColumns } from "../tables/statements.ts";
import { usage } from "../tables/turns.ts";
import { forgetInCheckpoints } from "./commits/checkpoints.ts";
import type { Memory } from "./memory.ts";
import { leaveNoTrace, withSubagents } from "./privacy/forget.ts";
import { resetSession } from "./sessions/sessions.ts";
import type { UsageRecord } from "./sessions/usage.ts";

/** What has still to be shared, and the state of the last synchronisation (docs/share.md). */

export interface ChangedThing {
  /** Another one for every change. */
  id: number;
  kind: "session" | "annotation" | "checkpoint" | "attribution" | "event";
  /** The thing's uid; of an attribution the commit's hash. */
  uid: string;
}

/** Each exchange has a list of its own: pm share git's branch, and a team's server. */
export type ChangeList = "sync_changed" | "team_changed";

/** What changed since it was shared last, in the order of the changes. */
export function listChangedThings(memory: Memory, list: ChangeList = "sync_changed"): ChangedThing[] {
  return memory.all<ChangedThing>(`SELECT id, kind, uid FROM ${list} ORDER BY id`);
}

/** These changes are shared; later ones of the same things are not. */
export function flushChanges(
  memory: Memory,
  ids: readonly number[],
  list: ChangeList = "sync_changed",
): void {
  if (ids.length === 0) return;
  memory.change(`DELETE FROM ${list} WHERE id IN (SELECT value FROM json_each(?))`, ids);
}

/** All that can be shared, by kind. */
const uids: Readonly<Record<ChangedThing["kind"], string>> = {
  session: "SELECT uid FROM sessions",
  annotation: "SELECT uid FROM annotations",
  checkpoint: "SELECT uid FROM checkpoints",
  attribution:
    "SELECT hash AS uid FROM commits WHERE EXISTS (SELECT 1 FROM attributions WHERE commit_id = commits.id)",
  event: "SELECT uid FROM events",
};

/** The uids of everything of a kind, in order. */
export function listAllUids(memory: Memory, kind: ChangedThing["kind"]): string[] {
  return memory.readColumn<string>(`SELECT uid FROM (${uids[kind]}) all_uids ORDER BY uid`);
}

/** As if nothing had been shared yet. */
export function markAllChanged(memory: Memory, list: ChangeList = "sync_changed"): void {
  memory.runInTransaction(() => {
    for (const [kind, all] of Object.entries(uids)) {
      memory
        .prepare(
          `INSERT INTO ${list} (kind, uid) SELECT '${kind}', uid FROM (${all}) all_uids
           WHERE NOT EXISTS (SELECT 1 FROM ${list} c WHERE c.kind = '${kind}' AND c.uid = all_uids.uid)`,
        )
        .run();
    }
  });
}

/** It has to be shared again, as somebody changed what others have of it. */
export function markChanged(memory: Memory, { kind, uid }: Pick<ChangedThing, "kind" | "uid">): void {
  memory.change("INSERT INTO sync_changed (kind, uid) VALUES (?, ?) ON CONFLICT DO NOTHING", kind, uid);
}

export function syncFact(memory: Memory, key: string): string | null {
  return memory.readValue<string | null>("SELECT value FROM sync_state WHERE key = ?", key);
}

/** Remembers a fact, or with null forgets it. */
export function setSyncFact(memory: Memory, key: string, value: string | null): void {
  memory.runInTransaction(() => {
    if (value === null) memory.prepare("DELETE FROM sync_state WHERE key = ?").run(key);
    else {
      memory
        .prepare(
          "INSERT INTO sync_state (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        )
        .run(key, value);
    }
  });
}

/** Facts whose key begins so. */
export function syncFacts(memory: Memory, beginning: string): { key: string; value: string }[] {
  return memory.all<{ key: string; value: string }>(
    "SELECT key, value FROM sync_state WHERE substr(key, 1, length(@b)) = @b ORDER BY key",
    { b: beginning },
  );
}

/** Whether a note was edited or removed: its old text must not be imported again. */
export function isRefused(memory: Memory, uid: string): boolean {
  return memory.has("SELECT 1 FROM sync_refused WHERE uid = ?", uid);
}

/** Uids of all lines of a session that are stored or known, by turn; of forgotten turns none. */
export function readLinesByTurn(
  memory: Memory,
  sessionId: number,
): Map<number, [uid: string, seq: number][]> {
  const rows = memory.all<{ uid: string; seq: number; turn: number }>(
    "SELECT uid, seq, turn FROM lines WHERE session_id = ? AND turn >= 0 ORDER BY seq, uid",
    sessionId,
  );
  const byTurn = new Map<number, [uid: string, seq: number][]>();
  for (const { uid, seq, turn } of rows) addTo(byTurn, turn, [uid, seq]);
  return byTurn;
}

/** What the messages of a session cost, by turn. */
export function readUsageByTurn(memory: Memory, sessionId: number): Map<number, UsageRecord[]> {
  const rows = memory.all<UsageRecord>(
    `SELECT ${selectColumns(usage, { except: ["sessionId"] })} FROM usage WHERE session_id = ? ORDER BY message_uid`,
    sessionId,
  );
  const byTurn = new Map<number, UsageRecord[]>();
  for (const row of rows) addTo(byTurn, row.turn, row);
  return byTurn;
}

/** Whether some of a session was forgotten or expired. */
export function hasForgottenLines(memory: Memory, sessionId: number): boolean {
  return memory.has("SELECT 1 FROM lines WHERE session_id = ? AND turn < 0 LIMIT 1", sessionId);
}

/** What is shared with a team's server, and what came from it (docs/share.md). */

/** The sync_state key of the project that is shared; absent: none is. The schema's triggers ask for it as well. */
export const teamProject = "team project";

/** The uids of sessions that were recorded here, from a transcript; others' are theirs to share. */
export function findRecordedSessions(memory: Memory): Set<string> {
  const uids =
    memory.readColumn<string>(`SELECT uid FROM sessions s WHERE author IS NULL AND agent <> 'pommel'
    AND EXISTS (SELECT 1 FROM transcripts WHERE session_id = s.id)`);
  return new Set(uids);
}

/** Whether a session's transcript was read here. */
export function isRecordedHere(memory: Memory, uid: string): boolean {
  return memory.has(
    "SELECT 1 FROM transcripts WHERE session_id = (SELECT id FROM sessions WHERE uid = ?)",
    uid,
  );
}

/** Colleagues whose sessions or notes are here. */
export function listColleagues(memory: Memory): string[] {
  return memory.readColumn<string>(
    "SELECT author FROM sessions WHERE author IS NOT NULL UNION SELECT author FROM annotations WHERE author IS NOT NULL ORDER BY 1",
  );
}

/** The digest of what this author shares of a thing; null: nothing. */
export function findSharedDigest(
  memory: Memory,
  { kind, uid }: Pick<ChangedThing, "kind" | "uid">,
): string | null {
  return memory.readValue<string | null>(
    "SELECT digest FROM team_shared WHERE kind = ? AND uid = ?",
    kind,
    uid,
  );
}

/** null: it is withdrawn. */
export function saveShared(
  memory: Memory,
  { kind, uid }: Pick<ChangedThing, "kind" | "uid">,
  digest: string | null,
): void {
  memory.runInTransaction(() => {
    if (digest === null) memory.prepare("DELETE FROM team_shared WHERE kind = ? AND uid = ?").run(kind, uid);
    else {
      memory
        .prepare(
          "INSERT INTO team_shared (kind, uid, digest) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET digest = excluded.digest",
        )
        .run(kind, uid, digest);
    }
  });
}

/** As if nothing had been shared, or with nobody. */
export function forgetShared(memory: Memory): void {
  memory.runInTransaction(() => {
    memory.exec("DELETE FROM team_shared; DELETE FROM team_changed");
  });
}

/**
 * What is shared and was forgotten here. A session or note that is merely missing, as after a repair of the memory, is
 * not among it: what was lost is not withdrawn.
 */
export function listForgottenShares(memory: Memory): Pick<ChangedThing, "kind" | "uid">[] {
  return memory.all<Pick<ChangedThing, "kind" | "uid">>(`SELECT kind, uid FROM team_shared t WHERE
      kind = 'session' AND EXISTS (SELECT 1 FROM forgotten WHERE uid = t.uid)
      OR kind = 'annotation' AND NOT EXISTS (SELECT 1 FROM annotations WHERE uid = t.uid)
        AND (EXISTS (SELECT 1 FROM forgotten WHERE uid = t.uid) OR EXISTS (SELECT 1 FROM sync_refused WHERE uid = t.uid))
      OR kind = 'checkpoint' AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE uid = t.uid)
    ORDER BY kind, uid`);
}

/** What shared checkpoints and attributions say of a session: they are to be compared again. */
export function markBindingsChanged(memory: Memory): void {
  memory.runInTransaction(() => {
    memory.exec(
      `INSERT INTO team_changed (kind, uid) SELECT kind, uid FROM team_shared t WHERE kind IN ('checkpoint', 'attribution')
         AND NOT EXISTS (SELECT 1 FROM team_changed c WHERE c.kind = t.kind AND c.uid = t.uid)`,
    );
  });
}

/** Uids of the lines that are stored of a session. */
export function listStoredLines(memory: Memory, sessionId: number): string[] {
  return memory.readColumn<string>("SELECT uid FROM lines WHERE session_id = ? AND turn >= 0", sessionId);
}

/** Removes what somebody else's session says, to import it again; unlike what was forgotten, it may come back. */
export function dropTurns(memory: Memory, sessionId: number): void {
  memory.runInTransaction(() => {
    for (const table of ["usage", "summaries", "turns"]) {
      memory.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(sessionId);
    }
    // What was forgotten here stays forgotten.
    memory.prepare("DELETE FROM lines WHERE session_id = ? AND turn >= 0").run(sessionId);
    memory.prepare("DELETE FROM chunks WHERE session_id = ? AND type <> 'annotated'").run(sessionId);
    resetSession(memory, sessionId);
  });
}

/** Removes a colleague's session with its subagents' and notes, as they withdrew it. It may be shared again. */
export function dropSession(memory: Memory, sessionId: number): void {
  memory.runInTransaction(() => {
    for (const id of withSubagents(memory, [sessionId])) {
      const uid = memory.readValue<string>("SELECT uid FROM sessions WHERE id = ?", id);
      for (const note of memory.readColumn<string>("SELECT uid FROM annotations WHERE session_uid = ?", uid))
        dropNote(memory, note);
      forgetInCheckpoints(memory, uid);
      memory.prepare("DELETE FROM jobs WHERE subject = ?").run(uid);
      memory.prepare("DELETE FROM activity WHERE subject = ?").run(uid);
      memory.prepare("DELETE FROM sessions WHERE id = ?").run(id);
    }
  });
}

export function dropNote(memory: Memory, uid: string): void {
  memory.runInTransaction(() => {
    memory.prepare("DELETE FROM annotations WHERE uid = ?").run(uid);
    memory.prepare("DELETE FROM sync_refused WHERE uid = ?").run(uid);
  });
}

/** Removes dropped text from the database's bytes. One's own backups stay: they are replaced in time. */
export const overwriteDropped = (memory: Memory): boolean => leaveNoTrace(memory, { copies: false });
