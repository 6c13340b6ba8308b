import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { author, knownError, verdict } from "../../protocol/fix.ts";
import {
  count,
  described,
  lazy,
  limit,
  notes,
  type Shaped,
  text,
  timeOrNull,
} from "../../protocol/shape-parts.ts";

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
    /** Only where no failed command reported it. */
    mentions: z.array(mention()),
    notes,
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
  summary: "Find an error that occurred before, and what fixed it",
  of: "memory",
  request: fixRequest,
  response: fixAnswer,
  answer: async () => (await import("./answer.ts")).fix,
});
