import * as z from "zod/mini";
import { origins, speakers } from "./origin.ts";
import { lazy, numberOrNull, type Shaped, strings, text, textOrNull, timeOrNull } from "./shape-parts.ts";

/** Lines count as written for a decision if they are from its turn, or from this many turns after it. */
export const turnsToCarryOut = 2;

/** Something that was decided. */
export const decision = lazy(() =>
  z.object({
    /**
     * Its source: a note, a session, a decision record in the repository, a comment in the code, a commit's
     * message, a file in which the client keeps what it learned about the project.
     */
    source: z.enum(["annotation", "conversation", "adr", "comment", "commit", "memory"]),
    /** Whose words the decision is; null if it stands in the repository. A colleague's decision also has an `author`. */
    origin: z.nullable(z.enum(origins)),
    /** The decision, quoted. */
    text,
    /** path:line, or the commit; null if the decision was made in a session. */
    place: textOrNull,
    session_id: textOrNull,
    session_title: textOrNull,
    /** The colleague who shared the decision; left out if it was recorded here. */
    author: z.optional(textOrNull),
    /** Who noted or said it, as seen from the machine that recorded it; null if `origin` is null. */
    by: z.nullable(z.enum(speakers)),
    turn: numberOrNull,
    timestamp: timeOrNull,
    branch: textOrNull,
    files: strings,
    /** 0 to 1; null without a query. */
    score: numberOrNull,
    /** What became of the lines that were written because of the decision; null: no such lines are known. */
    in_code: z.optional(z.nullable(z.enum(["kept", "changed", "gone"]))),
    /** The later decision that replaces this one; null: none was found. */
    superseded_by: textOrNull,
    /** known: a note or the decision record says so. likely: the later decision's words contradict this one. null: not superseded. */
    superseded: z.nullable(z.enum(["known", "likely"])),
    /** Earlier decisions that this one contradicts. */
    supersedes: strings,
  }),
);

export type Decision = Shaped<typeof decision>;
