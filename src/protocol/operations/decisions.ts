import * as z from "zod/mini";
import {
  branch,
  count,
  field,
  lazy,
  limit,
  numberOrNull,
  since,
  strings,
  text,
  textOrNull,
  timeOrNull,
  until,
} from "../shape-parts.ts";
import { fileAround } from "./graph.ts";

/** The shapes of decisions, and of sessions that touched files. */

export const decisionsRequest = lazy(() =>
  z.object({
    q: field("only those about this, best first", text),
    file: field("only where these paths or globs were touched", strings),
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
    /** Who wrote a note; left out where it is none, and where it was found by its text. */
    noted_by: z.optional(z.enum(["person", "agent"])),
    /** Quoted. */
    text,
    /** path:line, or the commit; null for a decision in a session. */
    place: textOrNull,
    session_id: textOrNull,
    session_title: textOrNull,
    /** The colleague who shared it; left out for what was recorded here. */
    author: z.optional(textOrNull),
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
    file: field("paths or globs; default without query: the uncommitted changes", strings),
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
