import type { Memory } from "./memory.ts";
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
export function changedThings(memory: Memory, list: ChangeList = "sync_changed"): ChangedThing[] {
  return memory.prepare(`SELECT id, kind, uid FROM ${list} ORDER BY id`).all() as ChangedThing[];
}

/** These changes are shared; later ones of the same things are not. */
export function flushChanges(
  memory: Memory,
  ids: readonly number[],
  list: ChangeList = "sync_changed",
): void {
  if (ids.length === 0) return;
  memory.inTransaction(() => {
    memory
      .prepare(`DELETE FROM ${list} WHERE id IN (SELECT value FROM json_each(?))`)
      .run(JSON.stringify(ids));
  });
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
export function allUids(memory: Memory, kind: ChangedThing["kind"]): string[] {
  return memory.prepare(`SELECT uid FROM (${uids[kind]}) all_uids ORDER BY uid`).pluck().all() as string[];
}

/** As if nothing had been shared yet. */
export function markAllChanged(memory: Memory, list: ChangeList = "sync_changed"): void {
  memory.inTransaction(() => {
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

export function syncFact(memory: Memory, key: string): string | null {
  const value = memory.prepare("SELECT value FROM sync_state WHERE key = ?").pluck().get(key);
  return (value as string | undefined) ?? null;
}

/** Remembers a fact, or with null forgets it. */
export function setSyncFact(memory: Memory, key: string, value: string | null): void {
  memory.inTransaction(() => {
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
  return memory
    .prepare("SELECT key, value FROM sync_state WHERE substr(key, 1, length(@b)) = @b ORDER BY key")
    .all({ b: beginning }) as { key: string; value: string }[];
}

/** Whether a note was edited or removed: its old text must not be imported again. */
export function isRefused(memory: Memory, uid: string): boolean {
  return memory.prepare("SELECT 1 FROM sync_refused WHERE uid = ?").get(uid) !== undefined;
}

/** Uids of all lines of a session that are stored or known, by turn; of forgotten turns none. */
export function linesByTurn(memory: Memory, sessionId: number): Map<number, [uid: string, seq: number][]> {
  const rows = memory
    .prepare("SELECT uid, seq, turn FROM lines WHERE session_id = ? AND turn >= 0 ORDER BY seq, uid")
    .all(sessionId) as { uid: string; seq: number; turn: number }[];
  return groupBy(
    rows,
    ({ turn }) => turn,
    ({ uid, seq }) => [uid, seq],
  );
}

/** What the messages of a session cost, by turn. */
export function usageByTurn(memory: Memory, sessionId: number): Map<number, UsageRecord[]> {
  const rows = memory
    .prepare(
      `SELECT message_uid AS messageUid, turn, model, input, output, cache_read AS cacheRead,
         cache_write AS cacheWrite FROM usage WHERE session_id = ? ORDER BY message_uid`,
    )
    .all(sessionId) as UsageRecord[];
  return groupBy(
    rows,
    ({ turn }) => turn,
    (row) => row,
  );
}

function groupBy<T, U>(
  rows: readonly T[],
  keyOf: (row: T) => number,
  itemOf: (row: T) => U,
): Map<number, U[]> {
  const groups = new Map<number, U[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(itemOf(row));
    else groups.set(key, [itemOf(row)]);
  }
  return groups;
}

/** Whether some of a session was forgotten or expired. */
export function hasForgottenLines(memory: Memory, sessionId: number): boolean {
  return (
    memory.prepare("SELECT 1 FROM lines WHERE session_id = ? AND turn < 0 LIMIT 1").get(sessionId) !==
    undefined
  );
}
