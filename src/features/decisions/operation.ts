import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { origins, speakers } from "../../protocol/origin.ts";
import {
  branch,
  count,
  field,
  lazy,
  limit,
  numberOrNull,
  places,
  type Shaped,
  since,
  strings,
  text,
  textOrNull,
  timeOrNull,
  until,
} from "../../protocol/shape-parts.ts";

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
    /** What became of the lines that were written for it; null: none are known. */
    in_code: z.optional(z.nullable(z.enum(["kept", "changed", "gone"]))),
    /** The later decision that contradicts it; null: none found. */
    superseded_by: textOrNull,
    /** Earlier decisions that this one contradicts. */
    supersedes: strings,
  }),
);

export type Decision = Shaped<typeof decision>;

export const decisionsAnswer = lazy(() => z.object({ decisions: z.array(decision()), total: count }));

export type DecisionsAnswer = Shaped<typeof decisionsAnswer>;

export const listDecisions = defineOperation({
  name: "decisions",
  path: "GET /decisions",
  summary: "List decisions and notes, the latest first, or the best for a question",
  of: "memory",
  editors: true,
  request: decisionsRequest,
  response: decisionsAnswer,
  answer: async () => (await import("./answer.ts")).listDecisions,
});
