import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import {
  count,
  described,
  lazy,
  limit,
  type Shaped,
  strings,
  text,
  timeOrNull,
} from "../../protocol/shape-parts.ts";
import { author, verdict } from "../how/operation.ts";

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

export type KnownError = Shaped<typeof knownError>;

export const fixRequest = lazy(() =>
  z.object({ error: described("the error, as it was printed", text), limit }),
);

/** Where an error was said that no failed command reported. */
const mention = lazy(() =>
  z.object({ session_id: text, author, turn: z.number(), timestamp: timeOrNull, text }),
);

export const fixAnswer = lazy(() =>
  z.object({
    verdict,
    errors: z.array(knownError()),
    /** Only where no failed command reported it. An older daemon sends none. */
    mentions: z._default(z.array(mention()), []),
  }),
);

export type FixAnswer = Shaped<typeof fixAnswer>;

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

export type RecurringError = Shaped<typeof recurringError>;

export const fix = defineOperation({
  name: "fix",
  path: "POST /fix",
  summary: "Find an error that was met before, and what fixed it",
  of: "memory",
  request: fixRequest,
  response: fixAnswer,
  answer: async () => (await import("./answer.ts")).fix,
});
