import { readShellCommand, splitShellCommands } from "../../base/text/shell-words.ts";
import { type Injection, listInjectedWithPrefix } from "../../store/memory/injections.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { findSessionByUid, listSessions } from "../../store/memory/sessions/sessions.ts";
import { advice, ruleRef } from "./before-call.ts";
import { findMatch, type RuleCheck, readRequest } from "./check.ts";
import type { Rule, SpokenRule } from "./operation.ts";
import { type PastCall, type PastTurn, readTurnsOf } from "./read-past.ts";

/*
 * Whether rules were followed, by what the session did at the call and after it. A reminder reaches the agent together with the
 * result of the call, so that call alone is no disobedience. docs/rules.md says the same to users.
 */

/** What came of it, and the turn that shows it; `what`: of the call, or of the one that was made instead. */
type RuleOutcome = Pick<SpokenRule, "outcome" | "turn" | "what" | "instead">;

type SpokenReminder = Pick<Injection, "sessionUid" | "at" | "callId" | "decision">;

/** The rules that there are, of which it is known what they say. */
type KnownRule = Pick<Rule, "id" | "text" | "check">;

/** Calls after the one that was denied: what comes later is about something else. */
const maxCallsAfter = 10;

/** What each outcome counts as. Whatever the person let run is neither. */
const wasFollowed: Readonly<Record<SpokenRule["outcome"], boolean | null>> = {
  not_run: true,
  other_form: true,
  once: true,
  run: false,
  allowed: null,
  unknown: null,
};

/** What rules said, the latest first, with what came of it. */
export function listSpoken(
  memory: Memory,
  rules: readonly KnownRule[],
  asked: { sessionUid: string | null; since: number; limit: number },
): SpokenRule[] {
  return listInjectedWithPrefix(memory, { prefix: ruleRef(""), ...asked }).flatMap(({ ref, ...spoken }) => {
    const rule = rules.find(({ id }) => ruleRef(id) === ref);
    if (rule === undefined) return [];
    const { id, text, check } = rule;
    const came = judge(memory, check, spoken);
    return {
      rule: id,
      text,
      mode: spoken.decision ?? "remind",
      session_id: spoken.sessionUid,
      at: new Date(spoken.at).toISOString(),
      ...came,
      was_followed: wasFollowed[came.outcome],
    };
  });
}

const unknown: RuleOutcome = { outcome: "unknown", turn: null, what: null, instead: null };

function judge(
  memory: Memory,
  check: RuleCheck,
  { sessionUid, callId, decision }: SpokenReminder,
): RuleOutcome {
  if (callId === null) return unknown;
  const read = memory.cacheUntilWrite<string, RuleOutcome>("what came of rules");
  const key = JSON.stringify([sessionUid, callId, check]);
  const remembered = read.get(key);
  if (remembered !== undefined) return remembered;
  const session = findSessionByUid(memory, sessionUid);
  // A subagent's call is in a session of its own.
  const places = session === null ? [] : [session, ...listSessions(memory, { children: session.id })];
  const found = places
    .map((one) => judgeIn(memory, one, check, { callId, decision }, one === session))
    .find((one) => one !== null);
  read.set(key, found ?? unknown);
  return found ?? unknown;
}

/** @returns null where the session has no such call */
function judgeIn(
  memory: Memory,
  session: SessionRecord,
  check: RuleCheck,
  { callId, decision }: { callId: string; decision: Injection["decision"] },
  isItself: boolean,
): RuleOutcome | null {
  const turns = [...readTurnsOf(memory, session)];
  const first = turns.findIndex(({ calls }) => calls.some(({ id }) => id === callId));
  if (first < 0) return null;
  const [{ calls, turn }, later] = [turns[first]!, turns.slice(first + 1)];
  const at = calls.findIndex(({ id }) => id === callId);
  const own = calls[at]!;
  const what = findMatch(check, own.call);
  const known = { turn: isItself ? turn : null, what, instead: null };
  const hasRun = wasRun(own);
  if (hasRun === null) return { ...known, outcome: "unknown" };
  // Whatever rules say, the person decides.
  if (decision === "ask" && hasRun) return { ...known, outcome: "allowed" };
  if (decision === "deny" && hasRun) return { ...known, outcome: "run" };
  const after = [...calls.slice(at + 1), ...listUnasked(check, later)];
  if (after.some((one) => wasRun(one) === true && findMatch(check, one.call) !== null))
    return { ...known, outcome: "run" };
  if (hasRun) return { ...known, outcome: "once" };
  const instead = after
    .slice(0, maxCallsAfter)
    .flatMap((one) => (wasRun(one) ? findOtherForm(what, one) : []));
  return instead[0] === undefined
    ? { ...known, outcome: "not_run" }
    : { ...known, outcome: "other_form", instead: instead[0] };
}

/** Of turns whose prompts did not ask for it. */
function listUnasked(check: RuleCheck, turns: readonly PastTurn[]): PastCall[] {
  let goesOn = false;
  return turns.flatMap(({ said, calls }) => {
    const prompt = said.find(({ denied }) => denied === null);
    const request = prompt === undefined ? null : readRequest(check, prompt.text);
    goesOn = request === "always" || (goesOn && request !== "refused");
    return goesOn || request === "now" ? [] : calls;
  });
}

/** null: nothing tells. */
function wasRun({ wasDenied, result }: PastCall): boolean | null {
  if (result === null || /^\s*\[Request interrupted/.test(result.text)) return null;
  return !wasDenied && !(result.isError && result.text.includes(advice.deny));
}

/** The same with other arguments, or the same arguments with another program: `pnpm test` for `npm test`. */
function findOtherForm(what: string | null, { call }: PastCall): string[] {
  const before = readShellCommand(what ?? "");
  const [subcommand] = before?.args ?? [];
  if (before === null || subcommand === undefined) return [];
  return splitShellCommands(call.command)
    .map((command) => command.trim())
    .filter((command) => {
      const now = readShellCommand(command);
      return now?.program === before.program
        ? now.args[0] === subcommand
        : now?.args.join(" ") === before.args.join(" ");
    });
}
