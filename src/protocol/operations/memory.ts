import * as z from "zod/mini";
import { noteSources, origins, speakers } from "../origin.ts";
import {
  branch,
  count,
  described,
  field,
  lazy,
  limit,
  numberOrNull,
  outside,
  place,
  places,
  sessionField,
  since,
  strings,
  text,
  textOrNull,
  time,
  timeOrNull,
  until,
} from "../shape-parts.ts";
import { fileAround } from "./graph.ts";

/** The shapes of notes, of decisions, and of forgetting. */

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
export type Annotation = z.infer<ReturnType<typeof annotation>>;

export const annotationsRequest = lazy(() =>
  z.object({
    search: field("only notes with all of these words", text),
    since,
    until,
    session: sessionField,
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

export const decisionsRequest = lazy(() =>
  z.object({
    q: field("only those about this, best first", text),
    file: field("only where these paths or globs were touched", places),
    branch,
    since,
    until,
    limit,
  }),
);

/** Something that was decided. */
export const decision = lazy(() =>
  z.object({
    /**
     * Its source: a note, a session, a decision record in the repository, a comment in the code, a commit's
     * message, a file in which the client keeps what it learned about the project.
     */
    source: z.enum(["annotation", "conversation", "adr", "comment", "commit", "memory"]),
    /** Whose words it is; null for what stands in the repository. A colleague's has the `author`. */
    origin: z.nullable(z.enum(origins)),
    /** Quoted. */
    text,
    /** path:line, or the commit; null for a decision in a session. */
    place: textOrNull,
    session_id: textOrNull,
    session_title: textOrNull,
    /** The colleague who shared it; left out for what was recorded here. */
    author: z.optional(textOrNull),
    /** Who noted or said it, on the machine that recorded it; null with a null `origin`. */
    by: z.nullable(z.enum(speakers)),
    turn: numberOrNull,
    timestamp: timeOrNull,
    branch: textOrNull,
    files: strings,
    /** 0 to 1; null without a query. */
    score: numberOrNull,
    /** The later decision that contradicts it; null: none found. */
    superseded_by: textOrNull,
    /** Earlier decisions that this one contradicts. */
    supersedes: strings,
  }),
);
export type Decision = z.infer<ReturnType<typeof decision>>;

export const decisionsAnswer = lazy(() => z.object({ decisions: z.array(decision()), total: count }));
export type DecisionsAnswer = z.infer<ReturnType<typeof decisionsAnswer>>;

export const relatedRequest = lazy(() =>
  z.object({
    q: field("what it is about; with files, ranks the sessions that touched them", text),
    file: field("paths or globs; default without query: the uncommitted changes", places),
    limit,
  }),
);

const turnFile = lazy(() => z.object({ path: text, how: z.enum(["read", "edit", "write"]) }));

const relatedTurn = lazy(() =>
  z.object({
    turn: z.number(),
    prompt: text,
    timestamp: timeOrNull,
    score: z.number(),
    files: z.array(turnFile()),
  }),
);

/** A session that touched the files. */
const relatedSession = lazy(() =>
  z.object({
    session_id: text,
    session_title: textOrNull,
    agent: text,
    branch: textOrNull,
    /** Of its last turn that touched one of the files. */
    last_at: timeOrNull,
    /** 0 to 1, of the best turn. */
    score: z.number(),
    /** The requested files that it touched, each with the strongest kind of touch. */
    files: z.array(turnFile()),
    /** Best first. */
    turns: z.array(relatedTurn()),
  }),
);
export type RelatedSession = z.infer<ReturnType<typeof relatedSession>>;

export const relatedAnswer = lazy(() =>
  z.object({
    /** Paths, directories and globs that sessions were looked up for; 0: no file was named, and none is changed. */
    looked_for: count,
    /** The requested files that sessions touched. */
    files: strings,
    sessions: z.array(relatedSession()),
    total: count,
    /** What was decided about the files, or about the query: the best, at most five. An older daemon gives none. */
    decisions: z._default(z.array(decision()), []),
    /** The files around the requested ones in the graph, the closest first, at most ten. An older daemon gives none. */
    code: z._default(z.array(fileAround()), []),
  }),
);
export type RelatedAnswer = z.infer<ReturnType<typeof relatedAnswer>>;

/** Never a secret itself: only how many different ones there were. */
export const redactionsResponse = lazy(() =>
  z.object({
    /** The kind as it stands in the text, `[REDACTED_<type>]`: those with the most secrets first. */
    types: z.array(z.object({ type: text, secrets: count, sessions: count })),
    /** Sessions in which anything was replaced. */
    sessions: count,
  }),
);

/** What a command took away, as `pm memory undo` lists it. */
const trashEntry = lazy(() =>
  z.object({
    number: z.number(),
    command: text,
    what: text,
    taken_at: time,
    kept_until: time,
  }),
);
export type TrashEntry = z.infer<ReturnType<typeof trashEntry>>;

/** Exactly one of the first five selects what to forget. */
export const forgetRequest = lazy(() =>
  z.object({
    session: field("a session and its subagents", outside("session")),
    turn: field("one turn of a session, SESSION:NUMBER", text),
    annotation: field("a note", text),
    since: field('everything since: "2026-01-31", "yesterday"', text),
    until: field("everything until", text),
    pattern: field("everything that matches a regular expression (RE2)", text),
    for_good: field(
      "keep nothing: neither in the trash, nor in backups; always so with a pattern",
      z.boolean(),
    ),
    dry_run: field("only show what would be removed", z.boolean()),
  }),
);
export type ForgetRequest = z.infer<ReturnType<typeof forgetRequest>>;
export const forgetResponse = lazy(() =>
  z.object({
    sessions: count,
    turns: count,
    chunks: count,
    annotations: count,
    /** Places where a pattern matches. */
    matches: count,
    /** Questions of the audit log whose words go. */
    questions: z._default(count, 0),
    /** Its content, for a preview: titles, prompts, notes; at most 20. */
    examples: strings,
    forgotten: z.boolean(),
    /** false: another process was reading, and the log of the database holds traces until it is rewritten; null: a preview. */
    log_emptied: z.nullable(z.boolean()),
    /** Where it can be brought back from; null: a preview, or nothing was kept. */
    trash: z._default(z.nullable(trashEntry()), null),
  }),
);
export type ForgetResponse = z.infer<ReturnType<typeof forgetResponse>>;
