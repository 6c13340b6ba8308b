import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { changeMemory } from "../../answers/changing.ts";
import { locate, parsePlace } from "../../answers/file-place.ts";
import { openMemory } from "../../answers/open.ts";
import { anchorNote, locateNotes } from "../../attribution/line-notes.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { isTurnedOff } from "../../git/projects/recorded.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { addNote, editNote } from "../../sessions/notes/add-note.ts";
import { formatRejection } from "../../sessions/notes/notes.ts";
import { noPlace } from "../../store/memory/chunks/notes.ts";
import type { NoteRecord } from "../../store/memory/memory-records.ts";
import {
  type editNoteRequest,
  type editNoteResponse,
  type Note,
  toNote,
  type writeNoteRequest,
  type writeNoteResponse,
} from "./operation.ts";

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
    at,
    rejected = false,
    decision,
    by = "tool",
  }: Shaped<typeof writeNoteRequest>,
): Promise<Shaped<typeof writeNoteResponse>> {
  if (isTurnedOff(project))
    throw new PommelError(
      "capture_off",
      "Recording is turned off here.",
      "`pm enable` turns it on here, `pm setup` everywhere.",
    );
  // Loads every agent: only where there is a transcript.
  const found = path === undefined ? null : await (await import("../../agents/registry.ts")).recognise(path);
  const sessionUid = session ?? found?.info.session ?? null;
  const whose = found && { agent: found.agent.name };
  if (rejected && sessionUid === null && decision === undefined)
    throw new PommelError(
      "usage",
      "--rejected needs --session or --decision.",
      "Name the session or the decision that was rejected.",
    );
  const text = rejected ? formatRejection(note, decision ?? null) : note;
  const place = at === undefined ? noPlace : await readPlace(project, at);
  const asked = { note: text, sessionUid, branch: branch ?? null, by, place, ...whose };
  const added = await changeMemory(project, (work) => addNote(work, asked), { create: true });
  const open = openMemory(project);
  const queued = open?.captures === true && path !== undefined && isAbsolute(path);
  if (queued) open.readOn(path, { ...whose });
  return { annotation: await locateNote(project, added), queued };
}

/** @throws PommelError `usage` for what is no place, `not_found` for lines that are not there */
function readPlace(project: Project, at: string) {
  const { file, lines } = parsePlace(at, (name) => existsSync(join(project.root, name)));
  if (lines === null || lines.last === Number.POSITIVE_INFINITY)
    throw new PommelError("usage", `${at} names no lines.`, "Name them: FILE:LINE or FILE:LINE-LINE.");
  return anchorNote(project.root, locate(project, project.root, file), lines);
}

async function locateNote(project: Project, note: NoteRecord): Promise<Note> {
  const lines = await locateNotes(project.root, [note]);
  return toNote(note, lines.get(note.id));
}

/** Replaces a note's text. @throws PommelError `not_found`, `usage` */
export async function changeNote(
  project: Project,
  { id, note }: Shaped<typeof editNoteRequest>,
): Promise<Shaped<typeof editNoteResponse>> {
  const { findNote } = await import("../../sessions/forget/forget-target.ts");
  const changed = await changeMemory(project, (work) => editNote(work, findNote(work.memory, id), note));
  return { annotation: await locateNote(project, changed) };
}
