import { listNotesOnFile, locateNotes } from "../../attribution/line-notes.ts";
import { parsePeriod } from "../../base/text/parse-period.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSession } from "../../store/memory/sessions/sessions.ts";
import type { NotesRequest, NotesResponse } from "./operation.ts";
import { toNote } from "./operation.ts";

/** Notes in a list, by default. */
const listedNotes = 10;

/**
 * Notes, the latest first.
 * @throws PommelError `usage` for a time that makes no sense, `not_found` for an unknown session
 */
export async function answerNotes(
  memory: Memory,
  root: string,
  request: NotesRequest,
): Promise<NotesResponse> {
  const { since, until } = await parsePeriod(request);
  const sessionUid = request.session === undefined ? null : findSession(memory, request.session).uid;
  const { file, search = null } = request;
  const onFile =
    file === undefined
      ? null
      : new Map(listNotesOnFile(memory, root, file).map(({ record, lines }) => [record.id, lines]));
  const all = listStoredNotes(memory, { since, until, sessionUid, search });
  const found = onFile === null ? all : all.filter(({ id }) => onFile.has(id));
  const page = found.slice(0, request.limit ?? listedNotes);
  const linesByNote = onFile ?? (await locateNotes(root, page));
  return {
    annotations: page.map((note) => toNote(note, linesByNote.get(note.id))),
    total: found.length,
  };
}
