import * as z from "zod/mini";
import type { Shaped } from "./shape-parts.ts";
import { count, lazy, strings, text, textOrNull, timeOrNull } from "./shape-parts.ts";

export const verdict = z.enum(["found", "maybe", "none"]);

/** The colleague who shared the session; null: recorded here. */
export const author = textOrNull;

const fixSeen = lazy(() =>
  z.object({
    session_id: text,
    author,
    turn: z.number(),
    timestamp: timeOrNull,
    /** What the agent changed between the failure and the run that worked, as a diff. */
    edits: z.array(z.object({ path: text, diff: text })),
    /** What it ran meanwhile, and the line that worked in the end. */
    commands: strings,
    /** The commit that the session led to after it. */
    commit: z.nullable(z.object({ hash: text, subject: text })),
    /** Whether the lines that the fix added are still in the files; null: it added none, or that is not known. */
    stands: z.nullable(z.boolean()),
  }),
);

export type Fix = Shaped<typeof fixSeen>;

export const knownError = lazy(() =>
  z.object({
    /** As it was reported, the lines in common first. */
    error: text,
    command: text,
    directory: text,
    /** How often, and in how many sessions. */
    times: count,
    sessions: count,
    first_at: timeOrNull,
    last_at: timeOrNull,
    session_id: text,
    author,
    turn: z.number(),
    /** null: it was not fixed in a recorded session, or not by what is recorded. */
    fix: z.nullable(fixSeen()),
  }),
);

export type KnownError = Shaped<typeof knownError>;
