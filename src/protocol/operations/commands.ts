import * as z from "zod/mini";
import {
  count,
  described,
  lazy,
  limit,
  numberOrNull,
  place,
  strings,
  text,
  textOrNull,
  timeOrNull,
} from "../shape-parts.ts";

/** The shapes of commands that agents ran, of errors that they met, and of text that was lost. */

const verdict = z.enum(["found", "maybe", "none"]);

/** The colleague who shared the session; null: recorded here. */
const author = textOrNull;

const failedBefore = lazy(() =>
  z.object({ line: text, error: text, session_id: text, turn: z.number(), timestamp: timeOrNull }),
);

const workingCommand = lazy(() =>
  z.object({
    /** As it last worked, with its environment and flags. */
    line: text,
    /** Relative to the project's root, "" for the root; absolute outside of it. */
    directory: text,
    /** What the agent said it is for; "" where it did not say. */
    purpose: text,
    /** Runs of the same form that worked, and that failed. */
    worked: count,
    failed: count,
    /** When it last worked, and which agent ran it in which session. */
    last_at: timeOrNull,
    agent: text,
    session_id: text,
    author,
    turn: z.number(),
    /** At the median; null: not known. Milliseconds. */
    took_ms: numberOrNull,
    /** What the agent tried instead before it worked, the latest first. */
    failed_before: z.array(failedBefore()),
  }),
);
export type WorkingCommand = z.infer<ReturnType<typeof workingCommand>>;

export const howRequest = lazy(() =>
  z.object({
    q: described('what to run: "test", "one integration test", or a command line that failed', text),
    limit,
  }),
);
export const howAnswer = lazy(() => z.object({ verdict, commands: z.array(workingCommand()) }));
export type HowAnswer = z.infer<ReturnType<typeof howAnswer>>;

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
export type Fix = z.infer<ReturnType<typeof fixSeen>>;

const knownError = lazy(() =>
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
export type KnownError = z.infer<ReturnType<typeof knownError>>;

export const fixRequest = lazy(() =>
  z.object({ error: described("the error, as it was printed", text), limit }),
);
export const fixAnswer = lazy(() => z.object({ verdict, errors: z.array(knownError()) }));
export type FixAnswer = z.infer<ReturnType<typeof fixAnswer>>;

/** An error that comes back. */
export const recurringError = lazy(() =>
  z.object({
    error: text,
    command: text,
    times: count,
    sessions: count,
    last_at: timeOrNull,
    /** From each failure until the same command worked again, or the session went on without it. Milliseconds. */
    cost_ms: count,
  }),
);
export type RecurringError = z.infer<ReturnType<typeof recurringError>>;

const lostPart = lazy(() =>
  z.object({
    session_id: text,
    author,
    turn: z.number(),
    timestamp: timeOrNull,
    /** edit: replaced by an agent's edit. checkout: written by an agent, and gone before it was committed. */
    lost_by: z.enum(["edit", "checkout"]),
    /** The command that took it away; null for an edit. */
    command: textOrNull,
    lines: strings,
  }),
);
export type LostText = z.infer<ReturnType<typeof lostPart>>;

export const lostTextRequest = lazy(() => z.object({ file: described("its path", place), limit }));
export const lostTextAnswer = lazy(() => z.object({ file: text, texts: z.array(lostPart()), total: count }));
export type LostTextAnswer = z.infer<ReturnType<typeof lostTextAnswer>>;
