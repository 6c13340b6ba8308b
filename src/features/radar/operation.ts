import * as z from "zod/mini";
import { defineOperation, nothing } from "../../answers/operation.ts";
import {
  lazy,
  lineNumber,
  type Shaped,
  strings,
  text,
  textOrNull,
  time,
  timeOrNull,
} from "../../protocol/shape-parts.ts";

/** A linked worktree shares its repository with the one that asks; a clone has its own. */
const checkoutKinds = ["this", "worktree", "clone"] as const;
export type CheckoutKind = (typeof checkoutKinds)[number];

const functionAtWork = lazy(() =>
  z.object({
    /** `Parser.parse`. */
    name: text,
    what: z.enum(["added", "changed", "removed"]),
    line: lineNumber,
    signature: text,
    /** What it was, where it changed; else null. */
    former_signature: textOrNull,
  }),
);

const fileAtWork = lazy(() =>
  z.object({
    /** From the root of the checkout. */
    path: text,
    root: text,
    /** When the session changed it last. */
    at: time,
    /** What of it is not committed, and differs by more than comments and layout. */
    functions: z.array(functionAtWork()),
  }),
);

const sessionAtWork = lazy(() =>
  z.object({
    session_id: text,
    title: textOrNull,
    agent: text,
    /** The checkout that it was launched in; null: none that is there. */
    root: textOrNull,
    branch: textOrNull,
    last_at: timeOrNull,
    files: z.array(fileAtWork()),
  }),
);

const overlap = lazy(() =>
  z.object({
    path: text,
    name: text,
    /** Of the two that changed it. */
    session_ids: strings,
    roots: strings,
  }),
);

const radarAnswer = lazy(() =>
  z.object({
    /** Sessions in which an agent is at work, the latest first. */
    sessions: z.array(sessionAtWork()),
    /** Functions that two of them have changed. */
    overlaps: z.array(overlap()),
    /** Those that were looked at, as seen from the one that asks. */
    checkouts: z.array(z.object({ root: text, is: z.enum(checkoutKinds) })),
    /** Whether agents are told. */
    is_on: z.boolean(),
  }),
);

export type RadarAnswer = Shaped<typeof radarAnswer>;

export const showRadar = defineOperation({
  name: "radar",
  path: "GET /radar",
  summary: "Show which functions agents are changing now, in all checkouts of the project",
  of: "memory",
  request: nothing,
  response: radarAnswer,
  answer: async () => (await import("./answer.ts")).showRadar,
});
