import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import type { LineNote, NoteLines } from "../../attribution/line-notes.ts";
import { noteSources, origins, speakers, toOrigin, toSpeaker } from "../../protocol/origin.ts";
import {
  count,
  described,
  field,
  lazy,
  limit,
  lineNumber,
  numberOrNull,
  outside,
  place,
  type Shaped,
  sessionField,
  since,
  text,
  textOrNull,
  time,
  until,
} from "../../protocol/shape-parts.ts";
import type { NoteRecord } from "../../store/memory/memory-records.ts";

const noteLines = z.object({
  /** From the project's root. */
  file: text,
  first_line: lineNumber,
  last_line: lineNumber,
  /** changed: they have another text than when it was written; gone: they are nowhere, and this is where they were. */
  state: z.enum(["same", "changed", "gone"]),
});

export const note = lazy(() =>
  z.object({
    id: text,
    note: text,
    session_id: textOrNull,
    turn: numberOrNull,
    timestamp: time,
    branch: textOrNull,
    source: z.enum(noteSources),
    /** Whose words it is; a colleague's has the `author` who shared it. */
    origin: z.enum(origins),
    author: textOrNull,
    /** The lines that it is on, as they are now; null: on none, or not looked for here. */
    lines: z.nullable(noteLines),
  }),
);

export type Note = Shaped<typeof note>;

/** A note as answers have it. */
export const toNote = (note: NoteRecord, lines: NoteLines | null = null): Note => ({
  id: note.uid,
  note: note.note,
  session_id: note.sessionUid,
  turn: note.turn,
  timestamp: new Date(note.at).toISOString(),
  branch: note.branch,
  source: note.source,
  origin: toOrigin({ by: toSpeaker(note.source), author: note.author }),
  author: note.author ?? null,
  lines: lines && {
    file: lines.file,
    first_line: lines.firstLine,
    last_line: lines.lastLine,
    state: lines.state,
  },
});

/** A note that is on lines. */
export const lineNote = lazy(() => z.extend(note(), { lines: noteLines }));

export type LineNoteAnswer = Shaped<typeof lineNote>;

export const toLineNote = ({ record, lines }: LineNote) => toNote(record, lines) as LineNoteAnswer;

export const notesRequest = lazy(() =>
  z.object({
    search: field("only notes with all of these words", text),
    since,
    until,
    session: sessionField,
    file: field("only notes on lines of this file", outside("file")),
    limit,
  }),
);

export type NotesRequest = Shaped<typeof notesRequest>;

export const notesResponse = lazy(() => z.object({ annotations: z.array(note()), total: count }));

export type NotesResponse = Shaped<typeof notesResponse>;

export const writeNoteRequest = lazy(() =>
  z.object({
    note: described(
      "a whole sentence with its reason; no secrets",
      text.check(z.minLength(1), z.maxLength(10_000)),
    ),
    at: field("the lines it is about: FILE:LINE or FILE:LINE-LINE", place),
    session_id: field("the session it is about", outside("session")),
    transcript_path: field("the transcript of the session it is about, if that is not stored yet", place),
    branch: field("the git branch it is about; default: the session's", outside("branch")),
    rejected: field("mark it as tried and rejected; the note says why", z.boolean()),
    decision: field(
      "quote the decision that was rejected; without it, the note rejects the whole session",
      text,
    ),
    by: field("who writes the note (default: tool)", z.enum(speakers)),
  }),
);

export const writeNoteResponse = lazy(() => z.object({ annotation: note(), queued: z.boolean() }));

export const editNoteRequest = lazy(() =>
  z.object({
    id: described("the note's id, or a prefix of it", outside("uid")),
    note: described("its new text", text.check(z.minLength(1), z.maxLength(10_000))),
  }),
);

export const editNoteResponse = lazy(() => z.object({ annotation: note() }));

export const writeNote = defineOperation({
  name: "annotate",
  path: "POST /index/transcript/annotate",
  summary: "Write a note",
  of: "project",
  changes: true,
  request: writeNoteRequest,
  response: writeNoteResponse,
  answer:
    async () =>
    async ({ project }, request) =>
      (await import("./notes.ts")).writeNote(project, request),
});

export const listNotes = defineOperation({
  name: "annotations",
  path: "GET /annotations",
  summary: "List notes, the latest first",
  of: "memory",
  editors: true,
  request: notesRequest,
  response: notesResponse,
  answer:
    async () =>
    async ({ project, memory }, request) =>
      (await import("./list-notes.ts")).answerNotes(memory, project.root, request),
});

export const editNote = defineOperation({
  name: "editNote",
  path: "POST /annotations/edit",
  summary: "Replace a note by another text",
  of: "project",
  changes: true,
  request: editNoteRequest,
  response: editNoteResponse,
  answer:
    async () =>
    async ({ project }, request) =>
      (await import("./notes.ts")).changeNote(project, request),
});
