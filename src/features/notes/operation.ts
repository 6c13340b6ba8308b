import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { noteSources, origins, speakers } from "../../protocol/origin.ts";
import {
  count,
  described,
  field,
  lazy,
  limit,
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

export const annotation = lazy(() =>
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
  }),
);

export type Annotation = Shaped<typeof annotation>;

export const annotationsRequest = lazy(() =>
  z.object({
    search: field("only notes with all of these words", text),
    since,
    until,
    session: sessionField,
    limit,
  }),
);

export type AnnotationsRequest = Shaped<typeof annotationsRequest>;

export const annotationsResponse = lazy(() => z.object({ annotations: z.array(annotation()), total: count }));

export type AnnotationsResponse = Shaped<typeof annotationsResponse>;

export const annotateRequest = lazy(() =>
  z.object({
    note: described(
      "a whole sentence with its reason; no secrets",
      text.check(z.minLength(1), z.maxLength(10_000)),
    ),
    session_id: field("the session it is about", outside("session")),
    transcript_path: z.optional(place),
    branch: field("the git branch it is about; default: the session's", outside("branch")),
    rejected: field("what it is about was tried and rejected; the note is the reason", z.boolean()),
    decision: field("the decision that was rejected, in its words; default: the session", text),
    by: z.optional(z.enum(speakers)),
  }),
);

export const annotateResponse = lazy(() => z.object({ annotation: annotation(), queued: z.boolean() }));

export const editNoteRequest = lazy(() =>
  z.object({
    id: described("the note's id, or a prefix of it", outside("uid")),
    note: described("its new text", text.check(z.minLength(1), z.maxLength(10_000))),
  }),
);

export const editNoteResponse = lazy(() => z.object({ annotation: annotation() }));

export const writeNote = defineOperation({
  name: "annotate",
  path: "POST /index/transcript/annotate",
  summary: "Write a note",
  of: "project",
  changes: true,
  request: annotateRequest,
  response: annotateResponse,
  answer: async () => (await import("./answer.ts")).writeNote,
});

export const listNotes = defineOperation({
  name: "annotations",
  path: "GET /annotations",
  summary: "List notes, the latest first",
  of: "memory",
  request: annotationsRequest,
  response: annotationsResponse,
  answer: async () => (await import("./answer.ts")).listNotes,
});

export const editNote = defineOperation({
  name: "editNote",
  path: "POST /annotations/edit",
  summary: "Replace a note by another text",
  of: "project",
  changes: true,
  request: editNoteRequest,
  response: editNoteResponse,
  answer: async () => (await import("./answer.ts")).editNote,
});
