import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import {
  count,
  field,
  lazy,
  limit,
  place,
  type Shaped,
  strings,
  text,
  textOrNull,
  timeOrNull,
} from "../../protocol/shape-parts.ts";

/**
 * command: a call that its program did not take, and that never worked. change: lines that were written and taken back.
 * approach: what an agent's closing words say that it gave up.
 */
export const deadEndKinds = ["command", "change", "approach"] as const;

const deadEnd = lazy(() =>
  z.object({
    /** The same for the same dead end. */
    id: text,
    kind: z.enum(deadEndKinds),
    /** The command line, the first lines that were written, or the sentence that was said. */
    tried: strings,
    /** The file of a change; the directory of a command, where that matters. */
    path: textOrNull,
    /** The line of the error; null: nothing was reported. */
    error: textOrNull,
    /** Why, in the agent's words, or those of the commit that reverted it; null: nobody said. */
    reason: textOrNull,
    /** What worked then, or was said to hold; null: not known. */
    instead: textOrNull,
    /** What took it back: "edit", "git", or the hash of a commit; null: nothing did. */
    taken_back_by: textOrNull,
    times: count,
    sessions: count,
    /** Where it was dropped last. */
    session_id: textOrNull,
    turn: count,
    at: timeOrNull,
  }),
);
export type DeadEnd = Shaped<typeof deadEnd>;

export const deadEndsRequest = lazy(() =>
  z.object({
    about: field("only those with these words: an error, a command, a name", text),
    kind: field("only these kinds", z.array(z.enum(deadEndKinds))),
    file: field("only changes of this file or directory", place),
    limit,
  }),
);
export type DeadEndsRequest = Shaped<typeof deadEndsRequest>;

export const deadEndsAnswer = lazy(() =>
  z.object({
    dead_ends: z.array(deadEnd()),
    total: count,
    /** Sessions that were looked at. */
    sessions: count,
    /** Whether agents are told before they try one again. */
    is_checked: z.boolean(),
  }),
);
export type DeadEndsAnswer = Shaped<typeof deadEndsAnswer>;

export const deadEnds = defineOperation({
  name: "deadEnds",
  path: "GET /dead-ends",
  summary: "List what was tried and given up, with the reason and what worked instead",
  of: "memory",
  request: deadEndsRequest,
  response: deadEndsAnswer,
  answer: async () => (await import("./answer.ts")).listDeadEnds,
});
