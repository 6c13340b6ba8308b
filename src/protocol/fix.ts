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
    /** What the agent ran between the two, and the command line that worked in the end. */
    commands: strings,
    /** The commit to which the session led after the fix. */
    commit: z.nullable(z.object({ hash: text, subject: text })),
    /** Whether the lines that the fix added are still in the files; null: it added none, or this is unknown. */
    stands: z.nullable(z.boolean()),
  }),
);

export type Fix = Shaped<typeof fixSeen>;

export const knownError = lazy(() =>
  z.object({
    /** The error as it was reported. Lines that it shares with the question come first. */
    error: text,
    command: text,
    directory: text,
    /** How often the error occurred, and in how many sessions. */
    times: count,
    sessions: count,
    first_at: timeOrNull,
    last_at: timeOrNull,
    session_id: text,
    author,
    turn: z.number(),
    /** null: no recorded session fixed the error, or what fixed it was not recorded. */
    fix: z.nullable(fixSeen()),
  }),
);

export type KnownError = Shaped<typeof knownError>;
