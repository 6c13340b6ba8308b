import * as z from "zod/mini";
import {
  count,
  described,
  field,
  lazy,
  limit,
  numberOrNull,
  session,
  since,
  text,
  textOrNull,
  time,
  until,
} from "../shape-parts.ts";

/** The shapes of notes: reading, writing and changing them. */

export const annotation = lazy(() =>
  z.object({
    id: text,
    note: text,
    session_id: textOrNull,
    turn: numberOrNull,
    timestamp: time,
    branch: textOrNull,
    source: z.enum(["prompt", "shell", "agent"]),
  }),
);
export type Annotation = z.infer<ReturnType<typeof annotation>>;

export const annotationsRequest = lazy(() =>
  z.object({
    search: field("only notes with all of these words", text),
    since,
    until,
    session,
    limit,
  }),
);
export type AnnotationsRequest = z.infer<ReturnType<typeof annotationsRequest>>;
export const annotationsResponse = lazy(() => z.object({ annotations: z.array(annotation()), total: count }));
export type AnnotationsResponse = z.infer<ReturnType<typeof annotationsResponse>>;

export const annotateRequest = lazy(() =>
  z.object({
    note: described(
      "a whole sentence with its reason; no secrets",
      text.check(z.minLength(1), z.maxLength(10_000)),
    ),
    session_id: field("the session it is about", text),
    transcript_path: z.optional(text),
    branch: field("the git branch it is about; default: the session's", text),
    rejected: field("what it is about was tried and rejected; the note is the reason", z.boolean()),
    decision: field("the decision that was rejected, in its words; default: the session", text),
    by_agent: z.optional(z.boolean()),
  }),
);
export const annotateResponse = lazy(() => z.object({ annotation: annotation(), queued: z.boolean() }));

export const editNoteRequest = lazy(() =>
  z.object({
    id: described("the note's id, or a prefix of it", text),
    note: described("its new text", text.check(z.minLength(1), z.maxLength(10_000))),
  }),
);
export const editNoteResponse = lazy(() => z.object({ annotation: annotation() }));
