import { isAbsolute } from "node:path";
import { isCwdInProject } from "../git/projects/roots.ts";
import { findNoteByUid } from "../store/memory/chunks/notes.ts";
import { findCheckpointByUid } from "../store/memory/commits/checkpoints.ts";
import { findEventByUid } from "../store/memory/events.ts";
import { listWithheldSessions } from "../store/memory/privacy/secrets.ts";
import { findSessionById, findSessionByUid } from "../store/memory/sessions/sessions.ts";
import { type ChangedThing, type ChangeList, listChangedThings, syncFact } from "../store/memory/sharing.ts";
import { buildItemPath } from "./branch/manifest.ts";
import { decode, encode, type RecordKind, type Thing } from "./branch/shared-file.ts";
import { type ExportWork, exportSession, exportTurns } from "./records/from-memory.ts";
import { exportText } from "./records/kinds.ts";
import type { SharedSession } from "./records/records.ts";

/** A file as this machine would write it. */
export interface ExportFile {
  path: string;
  text: string;
  /** They are this person's words. */
  isOwn: boolean;
}

/**
 * The files of an item, lazily; none when there is nothing to share.
 * @param known the shared version of a file
 */
export async function* exportFiles(
  exportWork: ExportWork,
  { kind, id }: Thing & { kind: RecordKind },
  known: (path: string) => Promise<string | null>,
): AsyncGenerator<ExportFile, void, undefined> {
  if (kind === "session") {
    yield* exportSessionFiles(exportWork, id, known);
    return;
  }
  const path = buildItemPath({ kind, id, part: "whole" });
  const text = exportText(exportWork, kind, id);
  const isOwn = kind !== "event" || findEventByUid(exportWork.work.memory, id)?.author == null;
  if (text !== null) yield { path, text, isOwn };
}

async function* exportSessionFiles(
  exportWork: ExportWork,
  uid: string,
  known: (path: string) => Promise<string | null>,
): AsyncGenerator<ExportFile, void, undefined> {
  const meta = exportSession(exportWork, uid);
  const session = findSessionByUid(exportWork.work.memory, uid);
  if (meta === null || session === null) return;
  const turns = [...exportTurns(exportWork, session)];
  const metaPath = buildItemPath({ kind: "session", id: uid, part: "meta" });
  const shared = await known(metaPath);
  // A session known only by its id, from a reference.
  if (turns.length === 0 && meta.summaries.length === 0 && shared === null) return;
  yield { path: metaPath, text: encode("meta", withSharedTitle(meta, shared)), isOwn: true };
  if (turns.length === 0) return;
  yield {
    path: buildItemPath({ kind: "session", id: uid, part: "transcript" }),
    text: encode("transcript", turns),
    isOwn: true,
  };
}

/** Do not share an imported title again. */
function withSharedTitle(meta: SharedSession, shared: string | null): SharedSession {
  const known = shared === null ? null : decode("meta", shared).record;
  const isSame = known?.title === meta.title && known.title_source === meta.title_source;
  return isSame && known ? { ...meta, title_at: known.title_at } : meta;
}

/** sync_state key: sessions from other directories that are shared. */
export const sharedFact = "shared ";

interface ThingsToTell {
  things: ChangedThing[];
  /** Changes of what others shared: it is theirs to share. */
  others: ChangedThing[];
  /** Sessions from outside of the project, with their notes, that are shared only on request. */
  leftOut: number;
  /** Sessions with lines that the language model of `scrub.llm` has yet to read; shared once it has. */
  waiting: number;
}

/** The changed items to share. What is not this person's is its author's to share, with their signature. */
export function listThingsToExport(
  { work }: { work: Pick<ExportWork["work"], "memory" | "root" | "worktrees"> },
  { everything, list = "sync_changed" }: { everything: boolean; list?: ChangeList },
): ThingsToTell {
  const { memory, root, worktrees } = work;
  const roots = [root, ...worktrees];
  const known = new Map<string, boolean>();
  const isOurs = (uid: string | null) => {
    const session = uid === null ? null : findSessionByUid(memory, uid);
    // Other machines share their own sessions; for an unknown session only the note is shared.
    if (session === null || !isAbsolute(session.cwd) || syncFact(memory, sharedFact + session.uid))
      return true;
    let ours = known.get(session.cwd);
    if (ours === undefined) {
      ours = isCwdInProject(roots, session.cwd);
      known.set(session.cwd, ours);
    }
    return ours;
  };
  const isColleagues = (uid: string) => findSessionByUid(memory, uid)?.author != null;
  const isOthers = ({ kind, uid }: ChangedThing) =>
    kind === "session"
      ? isColleagues(uid)
      : kind === "annotation" && findNoteByUid(memory, uid)?.author != null;
  const withheld = new Set(listWithheldSessions(memory).map((id) => findSessionById(memory, id)?.uid));
  let leftOut = 0;
  let waiting = 0;
  const changed = listChangedThings(memory, list);
  const others = changed.filter(isOthers);
  const things = changed.filter((thing) => {
    const { kind, uid } = thing;
    if (kind === "checkpoint") {
      const bound = findCheckpointByUid(memory, uid)?.sessions ?? [];
      return bound.length === 0 || !bound.every(({ sessionUid }) => isColleagues(sessionUid));
    }
    if (kind !== "session" && kind !== "annotation") return true;
    const note = kind === "session" ? null : findNoteByUid(memory, uid);
    const session = kind === "session" ? uid : (note?.sessionUid ?? null);
    if (isOthers(thing)) return false;
    const ours = everything || isOurs(session);
    const isReady = session === null || !withheld.has(session);
    if (kind === "session" && !ours) leftOut++;
    else if (kind === "session" && !isReady) waiting++;
    return ours && isReady;
  });
  return { things, others, leftOut, waiting };
}
