import { isAbsolute } from "node:path";
import { belongsTo } from "../git/project-roots.ts";
import { annotationByUid } from "../store/memory/chunks/annotations.ts";
import { sessionByUid } from "../store/memory/sessions/sessions.ts";
import { type ChangedThing, changedThings, syncFact } from "../store/memory/sync.ts";
import { pathOf, type Thing } from "./branch/layout.ts";
import { decode, encode } from "./branch/shared-file.ts";
import {
  type ExportWork,
  exportAnnotation,
  exportAttribution,
  exportCheckpoint,
  exportEvent,
  exportSession,
  exportTurns,
} from "./records/from-memory.ts";
import type { SharedSession } from "./records/records.ts";

/** A file as this machine would write it. */
export interface ExportFile {
  path: string;
  text: string;
}

/**
 * The files of a thing, one at a time; none when there is nothing of it to share.
 * @param known what is shared of a file already
 */
export async function* exportFiles(
  exportWork: ExportWork,
  { kind, id }: Thing,
  known: (path: string) => Promise<string | null>,
): AsyncGenerator<ExportFile, void, undefined> {
  if (kind === "session") {
    yield* sessionFiles(exportWork, id, known);
    return;
  }
  const path = pathOf({ kind, id, part: "whole" });
  const text = exportText(exportWork, { kind, id });
  if (text !== null) yield { path, text };
}

function exportText(exportWork: ExportWork, { kind, id }: Thing): string | null {
  if (kind === "annotation") {
    const note = exportAnnotation(exportWork, id);
    return note && encode("annotation", note);
  }
  if (kind === "checkpoint") {
    const checkpoint = exportCheckpoint(exportWork, id);
    return checkpoint && encode("checkpoint", checkpoint);
  }
  if (kind === "attribution") {
    const attribution = exportAttribution(exportWork, id);
    return attribution && encode("attribution", attribution);
  }
  const event = exportEvent(exportWork, id);
  return event && encode("event", event);
}

async function* sessionFiles(
  exportWork: ExportWork,
  uid: string,
  known: (path: string) => Promise<string | null>,
): AsyncGenerator<ExportFile, void, undefined> {
  const meta = exportSession(exportWork, uid);
  const session = sessionByUid(exportWork.work.memory, uid);
  if (meta === null || session === null) return;
  const turns = [...exportTurns(exportWork, session)];
  const metaPath = pathOf({ kind: "session", id: uid, part: "meta" });
  const shared = await known(metaPath);
  // A session of which only its id is known, because another one names it.
  if (turns.length === 0 && meta.summaries.length === 0 && shared === null) return;
  yield { path: metaPath, text: encode("meta", withSharedTitle(meta, shared)) };
  if (turns.length === 0) return;
  yield {
    path: pathOf({ kind: "session", id: uid, part: "transcript" }),
    text: encode("transcript", turns),
  };
}

/** Who took a title over does not say it anew. */
function withSharedTitle(meta: SharedSession, shared: string | null): SharedSession {
  const known = shared === null ? null : decode("meta", shared).record;
  const isSame = known?.title === meta.title && known.title_source === meta.title_source;
  return isSame && known ? { ...meta, title_at: known.title_at } : meta;
}

/** Of sync_state: sessions that ran elsewhere and are shared nevertheless. */
export const sharedFact = "shared ";

export interface ThingsToTell {
  things: ChangedThing[];
  /** Sessions that ran outside of the project and are not shared, unless the user wants that; with their notes. */
  leftOut: number;
}

/** What changed and is to be shared. */
export function thingsToExport(
  { work }: { work: Pick<ExportWork["work"], "memory" | "root" | "worktrees"> },
  { everything }: { everything: boolean },
): ThingsToTell {
  const { memory, root, worktrees } = work;
  const roots = [root, ...worktrees];
  const known = new Map<string, boolean>();
  const isOurs = (uid: string | null) => {
    const session = uid === null ? null : sessionByUid(memory, uid);
    // Another machine's was shared by that one; of a session that is not stored only the note is.
    if (session === null || !isAbsolute(session.cwd) || syncFact(memory, sharedFact + session.uid))
      return true;
    let ours = known.get(session.cwd);
    if (ours === undefined) {
      ours = belongsTo(roots, session.cwd);
      known.set(session.cwd, ours);
    }
    return ours;
  };
  const all = changedThings(memory);
  if (everything) return { things: all, leftOut: 0 };
  let leftOut = 0;
  const things = all.filter(({ kind, uid }) => {
    if (kind === "annotation") return isOurs(annotationByUid(memory, uid)?.sessionUid ?? null);
    if (kind !== "session" || isOurs(uid)) return true;
    leftOut++;
    return false;
  });
  return { things, leftOut };
}
