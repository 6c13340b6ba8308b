import type { ScrubbingWork } from "../../sessions/work.ts";
import { findNoteByUid } from "../../store/memory/chunks/notes.ts";
import { isForgotten } from "../../store/memory/privacy/forget.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import {
  type ChangedThing,
  dropNote,
  dropSession,
  dropTurns,
  findRecordedSessions,
  findSharedDigest,
  flushChanges,
  isRecordedHere,
  listForgottenShares,
  listStoredLines,
  markBindingsChanged,
  saveShared,
} from "../../store/memory/sharing.ts";
import { computeTextDigest, type StoredTeamRecord, type TeamRecord } from "../../store/team/team-server.ts";
import { decode, encode } from "../branch/shared-file.ts";
import { listThingsToExport } from "../export-files.ts";
import { formatRoleKey, type Trust } from "../origin/trust.ts";
import {
  type ExportWork,
  exportAttribution,
  exportCheckpoint,
  exportSession,
  exportTurns,
} from "../records/from-memory.ts";
import { exportText, importRecord, readRecordId } from "../records/kinds.ts";
import { importSession } from "../records/to-memory-session.ts";
import { type SyncCounts, toCountName } from "../report.ts";

export interface TeamReport {
  project: string;
  author: string;
  /** The server, without a password. */
  place: string;
  shared: SyncCounts;
  imported: SyncCounts;
  /** What was forgotten here since, and is withdrawn. */
  withdrawn: number;
  /** What colleagues withdrew. */
  removed: number;
  /** Sessions from outside of the project, which are not shared. */
  leftOut: number;
  /** Sessions that the language model of `scrub.llm` has yet to read. */
  waiting: number;
}

/** A change on its way to the server. */
export interface Outgoing {
  /** null: the server has it. */
  record: TeamRecord | null;
  /** The server has it now. Part of a transaction. */
  flush(): void;
  done: number;
  total: number;
}

/**
 * What is to be shared or withdrawn, lazily: sessions recorded here, notes written here, and commits that these sessions
 * led to. Each as it is now: the author's version replaces the former one.
 */
export function* listOutgoingRecords(
  work: ScrubbingWork,
  report: TeamReport,
): Generator<Outgoing, void, undefined> {
  const { memory } = work;
  const exportWork: ExportWork = { work, filter: true };
  const gone = listForgottenShares(memory);
  if (gone.some(({ kind }) => kind === "session")) markBindingsChanged(memory);
  const { things, leftOut, waiting } = listThingsToExport(
    { work },
    { everything: false, list: "team_changed" },
  );
  report.leftOut = leftOut;
  report.waiting = waiting;
  const own = findRecordedSessions(memory);
  const total = gone.length + things.length;
  let done = 0;
  const withdraw = (thing: Pick<ChangedThing, "kind" | "uid">, change: number | null): Outgoing => ({
    record: { kind: thing.kind, id: thing.uid, text: null },
    flush() {
      saveShared(memory, thing, null);
      if (change !== null) flushChanges(memory, [change], "team_changed");
      report.withdrawn++;
    },
    done: done++,
    total,
  });
  for (const thing of gone) yield withdraw(thing, null);
  for (const thing of things) {
    const { id, kind, uid } = thing;
    const known = findSharedDigest(memory, thing);
    const shared = isOwn(work, thing, own) ? buildSharedText(exportWork, thing, own) : null;
    if (shared === null && known !== null && (kind === "checkpoint" || kind === "attribution")) {
      yield withdraw(thing, id);
      continue;
    }
    const digest = shared === null ? null : computeTextDigest(shared.text);
    const isNews = shared !== null && digest !== known;
    yield {
      record: isNews ? { kind, id: uid, text: shared.text } : null,
      flush() {
        if (isNews) {
          saveShared(memory, thing, digest);
          report.shared[toCountName(kind)]++;
          report.shared.turns += shared.turns;
        }
        flushChanges(memory, [id], "team_changed");
      },
      done: done++,
      total,
    };
  }
}

function isOwn({ memory }: ScrubbingWork, { kind, uid }: ChangedThing, own: ReadonlySet<string>): boolean {
  switch (kind) {
    case "session":
      return own.has(uid);
    case "annotation": {
      const note = findNoteByUid(memory, uid);
      if (note === null || note.author != null) return false;
      return (
        note.sessionUid === null ||
        own.has(note.sessionUid) ||
        findSessionByUid(memory, note.sessionUid) === null
      );
    }
    case "checkpoint":
    case "attribution":
      return true;
    case "event":
      return false;
  }
}

/** Its text, and the number of a session's turns; null when there is nothing to share. */
function buildSharedText(
  exportWork: ExportWork,
  { kind, uid }: ChangedThing,
  own: ReadonlySet<string>,
): { text: string; turns: number } | null {
  const { memory } = exportWork.work;
  const one = (text: string | null) => (text === null ? null : { text, turns: 0 });
  switch (kind) {
    case "session": {
      const meta = exportSession(exportWork, uid);
      const session = findSessionByUid(memory, uid);
      if (meta === null || session === null || isForgotten(memory, uid)) return null;
      const turns = [...exportTurns(exportWork, session)];
      // Known by its id alone, or its turns are past retention: colleagues keep theirs.
      if (turns.length === 0) return null;
      return { text: encode("meta", meta) + encode("transcript", turns), turns: turns.length };
    }
    case "annotation":
      return one(exportText(exportWork, kind, uid));
    case "checkpoint": {
      const checkpoint = exportCheckpoint(exportWork, uid);
      if (checkpoint === null) return null;
      const sessions = checkpoint.sessions.filter(({ session }) => own.has(session));
      if (sessions.length === 0) return null;
      const isOwnState = ([session]: [string, unknown]) =>
        own.has(session) || findSessionByUid(memory, session) === null;
      const state = Object.fromEntries(Object.entries(checkpoint.agent_state).filter(isOwnState));
      return one(encode("checkpoint", { ...checkpoint, sessions, agent_state: state }));
    }
    case "attribution": {
      const attribution = exportAttribution(exportWork, uid);
      const ranges = Object.values(attribution?.files ?? {}).flat();
      if (attribution === null || !ranges.some(({ session }) => session !== null && own.has(session)))
        return null;
      return one(encode("attribution", attribution));
    }
    case "event":
      return null;
  }
}

/**
 * Imports one record of the server: a colleague's, or one's own from another machine. Idempotent. What is not understood
 * is skipped: its author's next version may be.
 */
export async function importTeamRecord(
  work: ScrubbingWork,
  record: StoredTeamRecord,
  trust: Trust,
  report: TeamReport,
): Promise<void> {
  const { memory } = work;
  const { author, kind, id, text, digest } = record;
  const isMine = author === report.author;
  const role = formatRoleKey(author);
  trust.rememberRole(author);
  if (kind === "session" || kind === "annotation") {
    const thing = { kind, uid: id } as const;
    if (isMine && findSharedDigest(memory, thing) === digest) return;
    if (text === null) {
      if (isMine) saveShared(memory, thing, null);
      if (removeWithdrawn(work, record)) report.removed++;
      return;
    }
    // So that forgetting it here withdraws it.
    if (isMine && !isRecordedHere(memory, id)) saveShared(memory, thing, digest);
  }
  if (text === null) return;
  // The server lets nobody write under another's name.
  const origin = { author: trust.labelAuthor(role), signer: role };
  const exportWork: ExportWork = { work, filter: true, authorshipOf: () => origin };
  const { imported } = report;
  switch (kind) {
    case "session": {
      const at = text.indexOf("\n") + 1;
      const { record: meta } = decode("meta", text.slice(0, at));
      const { record: turns } = decode("transcript", text.slice(at));
      if (meta === null || turns === null || meta.uid !== id) return;
      if (!isMine && isAnothers(work, id, role)) return;
      makeRoom(work, role, id, turns);
      const saved = await importSession(exportWork, meta, turns);
      if (saved === null) return;
      if (saved.isNew || saved.turns > 0) imported.sessions++;
      imported.turns += saved.turns;
      return;
    }
    case "annotation":
    case "checkpoint":
    case "attribution": {
      const { record: shared } = decode(kind, text);
      if (shared === null || readRecordId(kind, shared) !== id) return;
      if ((await importRecord(exportWork, kind, shared)) === true) imported[toCountName(kind)]++;
    }
  }
}

/** Nobody adds to a session of somebody else. */
function isAnothers({ memory }: ScrubbingWork, uid: string, role: string): boolean {
  const known = findSessionByUid(memory, uid);
  return known !== null && (isRecordedHere(memory, uid) || (known.signer ?? role) !== role);
}

/** Removes what its author withdrew. @returns whether it was here */
function removeWithdrawn({ memory }: ScrubbingWork, { kind, id, author }: StoredTeamRecord): boolean {
  if (kind === "annotation") {
    if (findNoteByUid(memory, id)?.signer !== formatRoleKey(author)) return false;
    dropNote(memory, id);
    return true;
  }
  const session = findSessionByUid(memory, id);
  if (session?.signer !== formatRoleKey(author)) return false;
  dropSession(memory, session.id);
  return true;
}

/** Importing adds. Where the author took turns away since, the session is imported anew. */
function makeRoom(
  { memory }: ScrubbingWork,
  role: string,
  uid: string,
  turns: readonly { lines: { uid: string | null }[]; also: Record<string, number> }[],
): void {
  const session = findSessionByUid(memory, uid);
  if (session?.signer !== role) return;
  const there = new Set(
    turns.flatMap(({ lines, also }) => [...lines.flatMap((line) => line.uid ?? []), ...Object.keys(also)]),
  );
  if (listStoredLines(memory, session.id).some((line) => !there.has(line))) dropTurns(memory, session.id);
}
