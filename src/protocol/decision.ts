import * as z from "zod/mini";
import { origins, speakers } from "./origin.ts";
import { lazy, numberOrNull, type Shaped, strings, text, textOrNull, timeOrNull } from "./shape-parts.ts";

/** What was written for a decision is of its turn, and of so many after it, which carry it out. */
export const turnsToCarryOut = 2;

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
    /** The later decision that takes its place; null: none found. */
    superseded_by: textOrNull,
    /** known: a note names it, or its record says so; likely: the words of the later one go against it. null: not superseded. */
    superseded: z.nullable(z.enum(["known", "likely"])),
    /** Earlier decisions that this one contradicts. */
    supersedes: strings,
  }),
);

export type Decision = Shaped<typeof decision>;
