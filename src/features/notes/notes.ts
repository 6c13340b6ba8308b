import { isAbsolute } from "node:path";
import { changeMemory } from "../../answers/changing.ts";
import { openMemory } from "../../answers/open.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { isTurnedOff } from "../../git/projects/recorded.ts";
import { toOrigin, toSpeaker } from "../../protocol/origin.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { addNote, editNote } from "../../sessions/notes/add-note.ts";
import { formatRejection } from "../../sessions/notes/notes.ts";
import type { AnnotationRecord } from "../../store/memory/memory-records.ts";
import type {
  Annotation,
  annotateRequest,
  annotateResponse,
  editNoteRequest,
  editNoteResponse,
} from "./operation.ts";

/** A note as the routes give it. */
export function toAnnotation(note: AnnotationRecord): Annotation {
  return {
    id: note.uid,
    note: note.note,
    session_id: note.sessionUid,
    turn: note.turn,
    timestamp: new Date(note.at).toISOString(),
    branch: note.branch,
    source: note.source,
    origin: toOrigin({ by: toSpeaker(note.source), author: note.author }),
    author: note.author ?? null,
  };
}

/**
 * Stores a note; where a daemon records the session that it is about, its transcript is read on.
 * @throws PommelError `capture_off` after `pm disable`
 */
export async function writeNote(
  project: Project,
  {
    note,
    session_id: session,
    transcript_path: path,
    branch,
    rejected = false,
    decision,
    by = "tool",
  }: Shaped<typeof annotateRequest>,
): Promise<Shaped<typeof annotateResponse>> {
  if (isTurnedOff(project))
    throw new PommelError(
      "capture_off",
      "Nothing is recorded here any more.",
      "`pm enable` turns it on again here, `pm setup` everywhere.",
    );
  // Loads every agent: only where there is a transcript.
  const found = path === undefined ? null : await (await import("../../agents/registry.ts")).recognise(path);
  const sessionUid = session ?? found?.info.session ?? null;
  const whose = found && { agent: found.agent.name };
  if (rejected && sessionUid === null && decision === undefined)
    throw new PommelError("usage", "It is not said what was rejected.", "Name a session or a decision.");
  const text = rejected ? formatRejection(note, decision ?? null) : note;
  const asked = { note: text, sessionUid, branch: branch ?? null, by, ...whose };
  const added = await changeMemory(project, (work) => addNote(work, asked), { create: true });
  const open = openMemory(project);
  const queued = open?.captures === true && path !== undefined && isAbsolute(path);
  if (queued) open.readOn(path, { ...whose });
  return { annotation: toAnnotation(added), queued };
}

/** Replaces a note's text. @throws PommelError `not_found`, `usage` */
export async function changeNote(
  project: Project,
  { id, note }: Shaped<typeof editNoteRequest>,
): Promise<Shaped<typeof editNoteResponse>> {
  const { findAnnotation } = await import("../../sessions/forget/forget-target.ts");
  const changed = await changeMemory(project, (work) =>
    editNote(work, findAnnotation(work.memory, id), note),
  );
  return { annotation: toAnnotation(changed) };
}
