import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { coverage } from "../../protocol/results.ts";
import {
  agent,
  branch,
  count,
  field,
  lazy,
  limit,
  notes,
  numberOrNull,
  places,
  type Shaped,
  sessionId,
  since,
  strings,
  text,
  textOrNull,
  timeOrNull,
  until,
} from "../../protocol/shape-parts.ts";
import { commandOutcomes, turnStates, verdicts } from "../../protocol/values.ts";

/** What a claim can be asked for by. */
export const recallKinds = ["decision", "attempt", "fix", "command", "open"] as const;
export type RecallKind = (typeof recallKinds)[number];

export const recallRequest = lazy(() =>
  z.object({
    about: field(
      "what it was about, what to run, or an error as printed (default: where work stopped)",
      text,
    ),
    id: field("a session, or SESSION:TURN, to read", text),
    said_by: field("only words of the user, or of agents", z.enum(["user", "agent"])),
    kind: field("only these kinds", z.array(z.enum(recallKinds))),
    file: field("only what touched these paths or globs", places),
    since,
    until,
    branch,
    agent,
    /** "current": one of those that are at work now. */
    asked_by: field("the session that asks; what it said itself is left out", sessionId),
    limit,
  }),
);

export type RecallRequest = Shaped<typeof recallRequest>;

/**
 * decided, noted: chosen or kept for good. tried: taken back, or given up. ran: a command line that worked. fixed: what ended
 * an error. asked: a request, with what came of it. said: somebody's words.
 */
export const claimKinds = ["decided", "noted", "tried", "ran", "met", "fixed", "asked", "said"] as const;

const claim = z.object({
  kind: z.enum(claimKinds),
  /** Quoted. */
  text,
  /** What came of it, quoted; null: nothing is known. */
  outcome: textOrNull,
  /** Whose words: "user", an agent's name, or a colleague's. */
  by: text,
  at: timeOrNull,
  /** What speaks for or against it today: "replaced by …", "commit 1a2b3c4 on HEAD", "worked 12 times, failed twice". */
  standing: strings,
  /** To read more: SESSION:TURN, a commit, FILE:LINE. */
  id: textOrNull,
});

export type RecallClaim = z.infer<typeof claim>;

const workState = z.object({
  branch: textOrNull,
  session_id: text,
  /** The colleague who shared it; null: recorded here. */
  author: textOrNull,
  turn: count,
  at: timeOrNull,
  /** The last words of both, as they were said. */
  asked: text,
  said: text,
  /** How its last turn ended; null: with an answer. */
  ended: z.nullable(z.enum(turnStates)),
  commits_since: count,
  latest_commit: textOrNull,
  uncommitted: strings,
  uncommitted_total: count,
  /** Command lines that failed when they last ran. */
  failing: strings,
  /** Other branches that are not merged, the latest first. */
  elsewhere: z.array(z.object({ branch: text, session_id: text, at: timeOrNull, said: text })),
});

export type WorkState = z.infer<typeof workState>;

const readTurn = z.object({
  number: count,
  at: timeOrNull,
  state: z.nullable(z.enum(turnStates)),
  abandoned: z.boolean(),
  /** In the order in which they were said. */
  words: z.array(z.object({ by: z.enum(["user", "agent"]), text })),
  edits: z.array(z.object({ file: text, added: count, removed: count })),
  ran: z.array(z.object({ line: text, outcome: z.enum(commandOutcomes) })),
  /** What the last command printed; null where one turn of many is read. */
  output: textOrNull,
});

export type RecalledTurn = z.infer<typeof readTurn>;

const readSession = z.object({
  session_id: text,
  title: textOrNull,
  agent: text,
  author: textOrNull,
  branch: textOrNull,
  started_at: timeOrNull,
  last_at: timeOrNull,
  turns_total: count,
  /** What was asked for; of a whole session its last turns, the latest first. */
  turns: z.array(readTurn),
  turn: numberOrNull,
  commits: strings,
  notes: strings,
});

export type RecalledSession = z.infer<typeof readSession>;

export const recallAnswer = lazy(() =>
  z.object({
    verdict: z.enum(verdicts),
    coverage: z.optional(coverage()),
    claims: z.array(claim),
    state: z.nullable(workState),
    read: z.nullable(readSession),
    notes,
  }),
);

export type RecallAnswer = Shaped<typeof recallAnswer>;

export const recall = defineOperation({
  name: "recall",
  path: "GET or POST /recall",
  summary: "Recall what was decided, tried, run, fixed and asked before, or where work stopped",
  of: "memory",
  editors: true,
  request: recallRequest,
  response: recallAnswer,
  answer: async () => (await import("./answer.ts")).recall,
});
