import * as z from "zod/mini";
import { defineOperation, nothing } from "../../answers/operation.ts";
import { asked, inProject } from "../../protocol/everywhere.ts";
import {
  count,
  lazy,
  numberOrNull,
  type Shaped,
  sessionNamed,
  strings,
  text,
  textOrNull,
  time,
} from "../../protocol/shape-parts.ts";
import { waitReasons } from "../../protocol/values.ts";
import { costSum } from "../cost/operation.ts";
import { sessionSummary } from "../sessions/operation.ts";

/** What every session of the list says of itself. */
const listed = lazy(() =>
  z.extend(sessionSummary(), {
    /** The last prompt that says more than "go on", in a line. */
    prompt: text,
    /** Files that it changed. */
    files: count,
    /** How tests, types and lint went when they last ran, the latest first. */
    checks: strings,
  }),
);

const running = lazy(() =>
  z.extend(listed(), {
    /** What was called last, and has no result yet; null: nothing. */
    pending: textOrNull,
    /** What it waits for, as far as its client and its transcript tell; null: it works. */
    waiting: z.nullable(z.object({ for: z.enum(waitReasons), since: time })),
    /** Tokens that its model read at most for a message of its last turn; null: not recorded. */
    context_tokens: numberOrNull,
    /** So far, with its subagents. */
    cost: costSum(),
  }),
);

const finished = lazy(() =>
  z.extend(listed(), {
    /** What came of it, in its agent's last words. */
    outcome: text,
    /** Commits that it led to, the latest first. */
    commits: z.array(z.object({ hash: text, subject: text })),
  }),
);

const unfinished = lazy(() =>
  z.extend(listed(), {
    /** What it left open, in whole sentences; "" where only its last turn has no proper end. */
    open: text,
    /** The command that goes on with it in its agent; null: there is none. */
    resume: textOrNull,
  }),
);

/** Of the latest forty sessions of two weeks. */
export const nowResponse = lazy(() =>
  z.object({
    /** Sessions in which an agent is at work, as far as is known. */
    running: z.array(running()),
    /** Sessions that ended lately, changed something, and were not put aside. */
    to_look_at: z.array(finished()),
    /** Sessions that left something open, or whose last turn has no proper end, and that were not put aside. */
    unfinished: z.array(unfinished()),
  }),
);

export type NowResponse = Shaped<typeof nowResponse>;

export const nowEverywhereResponse = lazy(() =>
  z.object({
    running: z.array(z.extend(running(), inProject)),
    to_look_at: z.array(z.extend(finished(), inProject)),
    unfinished: z.array(z.extend(unfinished(), inProject)),
    left_out: asked.left_out,
  }),
);

export type NowEverywhereResponse = Shaped<typeof nowEverywhereResponse>;

export const nowEverywhere = defineOperation({
  name: "nowEverywhere",
  path: "GET /everywhere/now",
  summary: "Show which agents are at work in any project, what to look at, and what is unfinished",
  of: "machine",
  request: nothing,
  response: nowEverywhereResponse,
  answer: async () => (await import("./answer.ts")).nowEverywhere,
});

export const showNow = defineOperation({
  name: "now",
  path: "GET /now",
  summary: "Show which agents are at work, what to look at, and what is unfinished",
  of: "memory",
  request: nothing,
  response: nowResponse,
  answer: async () => (await import("./answer.ts")).showNow,
});

export const putAsideRequest = lazy(() => z.object({ id: sessionNamed }));

export const putAsideResponse = lazy(() => z.object({ id: text }));

export const putAside = defineOperation({
  name: "putAside",
  path: "POST /now/aside",
  summary: "Put a session aside: it is not listed as new or unfinished until somebody continues it",
  of: "memory",
  changes: true,
  request: putAsideRequest,
  response: putAsideResponse,
  answer: async () => (await import("./answer.ts")).putAside,
});
