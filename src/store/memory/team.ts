import { forgetInCheckpoints } from "./commits/forget-checkpoints.ts";
import type { Memory } from "./memory.ts";
import { leaveNoTrace, withSubagents } from "./privacy/forget.ts";
import type { ChangedThing } from "./sync.ts";

/** What is shared with a team's server, and what came from it (docs/share.md). */

/** The sync_state key of the project that is shared; absent: none is. The schema's triggers ask for it as well. */
export const teamProject = "team project";

/** The author of what somebody shared without a name, as an older Pommel did. */
export const unknownAuthor = "unknown";

/** The uids of sessions that were recorded here, from a transcript; others' are theirs to share. */
export function recordedSessions(memory: Memory): Set<string> {
  const uids = memory
    .prepare(
      `SELECT uid FROM sessions s WHERE author IS NULL AND agent <> 'pommel'
         AND EXISTS (SELECT 1 FROM transcripts WHERE session_id = s.id)`,
    )
    .pluck()
    .all() as string[];
  return new Set(uids);
}

/** Whether a session's transcript was read here. */
export function isRecordedHere(memory: Memory, uid: string): boolean {
  return (
    memory
      .prepare("SELECT 1 FROM transcripts WHERE session_id = (SELECT id FROM sessions WHERE uid = ?)")
      .get(uid) !== undefined
  );
}

/** Colleagues whose sessions or notes are here. */
export function authorsHere(memory: Memory): string[] {
  return memory
    .prepare(
      "SELECT author FROM sessions WHERE author IS NOT NULL UNION SELECT author FROM annotations WHERE author IS NOT NULL ORDER BY 1",
    )
    .pluck()
    .all() as string[];
}

/** The digest of what this author shares of a thing; null: nothing. */
export function sharedDigest(
  memory: Memory,
  { kind, uid }: Pick<ChangedThing, "kind" | "uid">,
): string | null {
  const found = memory
    .prepare("SELECT digest FROM team_shared WHERE kind = ? AND uid = ?")
    .pluck()
    .get(kind, uid);
  return (found as string | undefined) ?? null;
}

/** null: it is withdrawn. */
export function saveShared(
  memory: Memory,
  { kind, uid }: Pick<ChangedThing, "kind" | "uid">,
  digest: string | null,
): void {
  memory.inTransaction(() => {
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
  memory.inTransaction(() => {
    memory.exec("DELETE FROM team_shared; DELETE FROM team_changed");
  });
}

/**
 * What is shared and was forgotten here. A session or note that is merely missing, as after a repair of the memory, is
 * not among it: what was lost is not withdrawn.
 */
export function forgottenShares(memory: Memory): Pick<ChangedThing, "kind" | "uid">[] {
  return memory
    .prepare(
      `SELECT kind, uid FROM team_shared t WHERE
         kind = 'session' AND EXISTS (SELECT 1 FROM forgotten WHERE uid = t.uid)
         OR kind = 'annotation' AND NOT EXISTS (SELECT 1 FROM annotations WHERE uid = t.uid)
           AND (EXISTS (SELECT 1 FROM forgotten WHERE uid = t.uid) OR EXISTS (SELECT 1 FROM sync_refused WHERE uid = t.uid))
         OR kind = 'checkpoint' AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE uid = t.uid)
       ORDER BY kind, uid`,
    )
    .all() as Pick<ChangedThing, "kind" | "uid">[];
}

/** What shared checkpoints and attributions say of a session: they are to be compared again. */
export function markBindingsChanged(memory: Memory): void {
  memory.inTransaction(() => {
    memory.exec(
      `INSERT INTO team_changed (kind, uid) SELECT kind, uid FROM team_shared t WHERE kind IN ('checkpoint', 'attribution')
         AND NOT EXISTS (SELECT 1 FROM team_changed c WHERE c.kind = t.kind AND c.uid = t.uid)`,
    );
  });
}

/** Uids of the lines that are stored of a session. */
export function storedLines(memory: Memory, sessionId: number): string[] {
  return memory
    .prepare("SELECT uid FROM lines WHERE session_id = ? AND turn >= 0")
    .pluck()
    .all(sessionId) as string[];
}

/** Removes the turns of a colleague's session, to import it again; unlike what was forgotten, it may come back. */
export function dropTurns(memory: Memory, sessionId: number): void {
  memory.inTransaction(() => {
    for (const table of ["usage", "summaries", "turns"]) {
      memory.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(sessionId);
    }
    // What was forgotten here stays forgotten.
    memory.prepare("DELETE FROM lines WHERE session_id = ? AND turn >= 0").run(sessionId);
    memory.prepare("DELETE FROM chunks WHERE session_id = ? AND type <> 'annotated'").run(sessionId);
  });
}

/** Removes a colleague's session with its subagents' and notes, as they withdrew it. It may be shared again. */
export function dropSession(memory: Memory, sessionId: number): void {
  memory.inTransaction(() => {
    for (const id of withSubagents(memory, [sessionId])) {
      const uid = memory.prepare("SELECT uid FROM sessions WHERE id = ?").pluck().get(id) as string;
      const notes = memory.prepare("SELECT uid FROM annotations WHERE session_uid = ?").pluck().all(uid);
      for (const note of notes as string[]) dropNote(memory, note);
      forgetInCheckpoints(memory, uid);
      memory.prepare("DELETE FROM jobs WHERE subject = ?").run(uid);
      memory.prepare("DELETE FROM activity WHERE subject = ?").run(uid);
      memory.prepare("DELETE FROM sessions WHERE id = ?").run(id);
    }
  });
}

export function dropNote(memory: Memory, uid: string): void {
  memory.inTransaction(() => {
    memory.prepare("DELETE FROM annotations WHERE uid = ?").run(uid);
    memory.prepare("DELETE FROM sync_refused WHERE uid = ?").run(uid);
  });
}

/** Removes dropped text from the database's bytes. One's own backups stay: they are replaced in time. */
export const overwriteDropped = (memory: Memory): boolean => leaveNoTrace(memory, { backups: false });
