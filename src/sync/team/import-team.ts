import type { ScrubbingWork } from "../../sessions/work.ts";
import { annotationByUid } from "../../store/memory/chunks/annotations.ts";
import { sessionByUid } from "../../store/memory/sessions/sessions.ts";
import {
  dropNote,
  dropSession,
  dropTurns,
  isRecordedHere,
  saveShared,
  sharedDigest,
  storedLines,
} from "../../store/memory/sharing.ts";
import type { StoredTeamRecord } from "../../store/team/team-server.ts";
import { decode } from "../branch/shared-file.ts";
import type { ExportWork } from "../records/from-memory.ts";
import { importAnnotation, importAttribution, importCheckpoint } from "../records/to-memory.ts";
import { importSession } from "../records/to-memory-session.ts";
import type { TeamReport } from "./export-team.ts";

/**
 * Imports one record of the server: a colleague's, or one's own from another machine. Idempotent. What is not understood
 * is skipped: its author's next version may be.
 */
export async function importTeamRecord(
  work: ScrubbingWork,
  record: StoredTeamRecord,
  me: string,
  report: TeamReport,
): Promise<void> {
  const { memory } = work;
  const { author, kind, id, text, digest } = record;
  const isMine = author === me;
  if (kind === "session" || kind === "annotation") {
    const thing = { kind, uid: id } as const;
    if (isMine && sharedDigest(memory, thing) === digest) return;
    if (text === null) {
      if (isMine) saveShared(memory, thing, null);
      if (withdrawn(work, record)) report.removed++;
      return;
    }
    // So that forgetting it here withdraws it.
    if (isMine && !isRecordedHere(memory, id)) saveShared(memory, thing, digest);
  }
  if (text === null) return;
  const exportWork: ExportWork = { work, filter: true, author };
  const { imported } = report;
  switch (kind) {
    case "session": {
      const at = text.indexOf("\n") + 1;
      const { record: meta } = decode("meta", text.slice(0, at));
      const { record: turns } = decode("transcript", text.slice(at));
      if (meta === null || turns === null || meta.uid !== id) return;
      if (!isMine && isAnothers(work, id, author)) return;
      makeRoom(work, author, id, turns);
      const saved = await importSession(exportWork, meta, turns);
      if (saved === null) return;
      if (saved.isNew || saved.turns > 0) imported.sessions++;
      imported.turns += saved.turns;
      return;
    }
    case "annotation": {
      const { record: note } = decode("annotation", text);
      if (note?.uid === id && (await importAnnotation(exportWork, note)) === true) imported.annotations++;
      return;
    }
    case "checkpoint": {
      const { record: checkpoint } = decode("checkpoint", text);
      if (checkpoint?.uid === id && importCheckpoint(exportWork, checkpoint) === true) imported.checkpoints++;
      return;
    }
    case "attribution": {
      const { record: lines } = decode("attribution", text);
      if (lines?.commit.hash === id && importAttribution(exportWork, lines) === true) imported.attributions++;
    }
  }
}

/** Nobody adds to a session of somebody else. */
function isAnothers({ memory }: ScrubbingWork, uid: string, author: string): boolean {
  const known = sessionByUid(memory, uid);
  return known !== null && (isRecordedHere(memory, uid) || (known.author ?? author) !== author);
}

/** Removes what its author withdrew. @returns whether it was here */
function withdrawn({ memory }: ScrubbingWork, { kind, id, author }: StoredTeamRecord): boolean {
  if (kind === "annotation") {
    if (annotationByUid(memory, id)?.author !== author) return false;
    dropNote(memory, id);
    return true;
  }
  const session = sessionByUid(memory, id);
  if (session?.author !== author) return false;
  dropSession(memory, session.id);
  return true;
}

/** Importing adds. Where the author took turns away since, the session is imported anew. */
function makeRoom(
  { memory }: ScrubbingWork,
  author: string,
  uid: string,
  turns: readonly { lines: { uid: string | null }[]; also: Record<string, number> }[],
): void {
  const session = sessionByUid(memory, uid);
  if (session?.author !== author) return;
  const there = new Set(
    turns.flatMap(({ lines, also }) => [...lines.flatMap((line) => line.uid ?? []), ...Object.keys(also)]),
  );
  if (storedLines(memory, session.id).some((line) => !there.has(line))) dropTurns(memory, session.id);
}
