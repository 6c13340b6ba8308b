import * as z from "zod/mini";
import type { ToolUse } from "../agents/agent.ts";
import { dayMs } from "../base/text/day.ts";
import { formatIsoTime } from "../base/text/iso-time.ts";
import { shortenText } from "../base/text/text-size.ts";
import { isRunning } from "../protocol/reading/running.ts";
import { type TurnState, type WaitReason, waitReasons } from "../protocol/values.ts";
import type { Memory } from "../store/memory/memory.ts";
import type { SessionRecord } from "../store/memory/memory-records.ts";
import { readMetaValue } from "../store/memory/meta-value.ts";
import { findLastTurns } from "../store/memory/sessions/turns.ts";
import { sayUse } from "./chunks/units/tool-uses.ts";
import { parseQuestions } from "./questions.ts";
import { createRelativizer } from "./relative-paths.ts";
import { readStoredTurns } from "./turn-content.ts";

/** What an agent waits for, and since when. Milliseconds since the epoch. */
export interface Wait {
  for: WaitReason;
  since: number;
}

const key = "sessions.waiting";

/** By the session's id. */
const shape = z.record(z.string(), z.object({ for: z.enum(waitReasons), since: z.number() }));

/** Who waits longer is not waited for any more. Milliseconds. */
const maxWaitMs = dayMs;

/** What agents waited for when their clients last told the person: what they do afterwards ends it. */
const readToldWaits = (memory: Memory): Readonly<Record<string, Wait>> =>
  readMetaValue(memory, key, shape) ?? {};

export function saveToldWait(memory: Memory, uid: string, wait: Wait): void {
  const lasting = Object.entries(readToldWaits(memory)).filter(
    ([, { since }]) => since > wait.since - maxWaitMs,
  );
  memory.setMeta(key, JSON.stringify({ ...Object.fromEntries(lasting), [uid]: wait }));
}

/** What the agent of a session is at: null where it has ended, as far as is known. */
export interface PendingWork {
  /** The last call, as long as it has no result: it runs, or waits to be allowed. */
  pending: string | null;
  /** null: it works. */
  wait: Wait | null;
}

/** Tools with which agents ask the person: their call has no result until there is an answer. */
const askingTools = new Set([
  "AskUserQuestion",
  "ExitPlanMode",
  "ask_followup_question",
  "plan_mode_respond",
]);

/** Characters. */
const maxPending = 200;

/**
 * What the agents of sessions are at, in their order. What a client told counts until the transcript goes on: a call that
 * was allowed meanwhile, and still runs, looks like one that was not.
 */
export function findPendingWork(
  memory: Memory,
  sessions: readonly SessionRecord[],
  now: number,
): (PendingWork | null)[] {
  const told = readToldWaits(memory);
  const open = ({ endedAt, lastAt }: SessionRecord) => endedAt === null && (lastAt ?? 0) > now - maxWaitMs;
  const lastTurns = findLastTurns(
    memory,
    sessions.filter(open).map(({ id }) => id),
  );
  return sessions.map((session) => {
    if (!open(session)) return null;
    const turn = lastTurns.get(session.id);
    const call = turn === undefined ? null : findPendingCall(memory, session, turn.number);
    const wait = findWait(session, { told: told[session.uid], call, state: turn?.state ?? null, now });
    if (wait === null && !isRunning(toTimes(session), now)) return null;
    return { pending: call && sayCall(call, session), wait };
  });
}

interface LastStep {
  told: Wait | undefined;
  call: ToolUse | null;
  state: TurnState | null;
  now: number;
}

function findWait(session: SessionRecord, { told, call, state, now }: LastStep): Wait | null {
  const since = session.lastAt ?? 0;
  const isTold = told !== undefined && told.since >= since;
  if (isTold && told.for !== "prompt") return told;
  if (call !== null && askingTools.has(call.tool)) return { for: "question", since };
  const isDone = isTold || (state === "completed" && call === null);
  return isDone && isRunning(toTimes(session), now) ? { for: "prompt", since } : null;
}

const toTimes = ({ endedAt, lastAt }: SessionRecord) => ({
  ended_at: formatIsoTime(endedAt),
  last_at: formatIsoTime(lastAt),
});

function findPendingCall(memory: Memory, { id }: SessionRecord, turn: number): ToolUse | null {
  const [stored] = readStoredTurns(memory, id, { first: turn, last: turn });
  const entries = (stored?.lines ?? []).flatMap((line) => line.entries);
  const last = entries.findLast(({ kind }) => kind !== "tool_result" && kind !== "title");
  if (last?.kind !== "tool_use") return null;
  return entries.some((entry) => entry.kind === "tool_result" && entry.id === last.id) ? null : last;
}

/** What a person is asked says more than the name of the tool that asks it. */
function sayCall(call: ToolUse, { cwd }: SessionRecord): string {
  const [question] = parseQuestions(call.input);
  const headline =
    question?.text ?? sayUse(call, null, createRelativizer({ root: cwd, worktrees: [], cwd })).headline;
  return shortenText(headline.replace(/\s+/g, " "), maxPending);
}
