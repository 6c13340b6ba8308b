import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { author, verdict } from "../../protocol/fix.ts";
import {
  count,
  field,
  lazy,
  limit,
  numberOrNull,
  type Shaped,
  text,
  timeOrNull,
} from "../../protocol/shape-parts.ts";
import { tasks } from "../../sessions/commands/tasks.ts";

const failedBefore = lazy(() =>
  z.object({ line: text, error: text, session_id: text, turn: z.number(), timestamp: timeOrNull }),
);

const workingCommand = lazy(() =>
  z.object({
    /** As it last worked, with its environment and flags: an example of the form. */
    line: text,
    /** What all counted runs have in common; "…" differs from run to run. */
    form: text,
    /** Without a question: what it is for. */
    task: z.nullable(z.enum(tasks)),
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
    /** Typically, without runs that waited for somebody's permission; null: not known. Milliseconds. */
    took_ms: numberOrNull,
    /** What the agent tried instead before it worked, the latest first. */
    failed_before: z.array(failedBefore()),
  }),
);

export type WorkingCommand = Shaped<typeof workingCommand>;

export const howRequest = lazy(() =>
  z.object({
    q: field(
      'what to run: "test", "one integration test", or a command line that failed (default: how to test, lint, build, run and release)',
      text,
    ),
    limit,
  }),
);

/** What a file of the project defines, and no agent ran. */
const definedScript = lazy(() =>
  z.object({
    line: text,
    /** What the file says of it. */
    title: text,
    /** Relative to the project's root. */
    file: text,
    task: z.nullable(z.enum(tasks)),
  }),
);

export type DefinedScript = Shaped<typeof definedScript>;

export const howAnswer = lazy(() =>
  z.object({
    verdict,
    commands: z.array(workingCommand()),
    scripts: z.array(definedScript()),
  }),
);

export type HowAnswer = Shaped<typeof howAnswer>;

export const how = defineOperation({
  name: "how",
  path: "GET /how",
  summary: "Find the command lines that worked here for something",
  of: "memory",
  request: howRequest,
  response: howAnswer,
  answer: async () => (await import("./answer.ts")).how,
});
