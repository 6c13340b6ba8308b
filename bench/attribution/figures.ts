import { certain } from "../../src/protocol/reading/evidence.ts";
import type { Judged, JudgedBindings } from "./judge.ts";

/** How well authors were recognized. Shares from 0 to 1; null if there was nothing to judge. */
export interface Figures {
  lines: number;
  agentPrecision: number | null;
  agentRecall: number | null;
  humanPrecision: number | null;
  humanRecall: number | null;
  /** Of the lines with a known author. */
  unknown: number | null;
  /**
   * Of the lines rightly attributed to an agent with a session: those with the right one, and with the right turn too.
   */
  session: number | null;
  turn: number | null;
}

export const saysAgent = ({ verdict }: Judged) => verdict?.author === "agent";
const isAgent = ({ truth }: Judged) => truth.kind === "agent";

const share = (part: number, of: number) => (of === 0 ? null : part / of);

export function figuresOf(judged: readonly Judged[]): Figures {
  const count = (test: (one: Judged) => boolean) => judged.filter(test).length;
  // From before agents: that it is no agent's is said of it, and may be wrong.
  const saysHuman = ({ verdict, isBefore }: Judged) => verdict?.author === "human" || isBefore;
  const right = judged.filter((one) => saysAgent(one) && isAgent(one));
  const named = right.filter(({ verdict }) => verdict!.sessionUid !== null);
  return {
    lines: judged.length,
    agentPrecision: share(right.length, count(saysAgent)),
    agentRecall: share(right.length, count(isAgent)),
    humanPrecision: share(
      count((one) => saysHuman(one) && one.truth.kind === "human"),
      count((one) => saysHuman(one) && one.truth.kind !== "untold"),
    ),
    humanRecall: share(
      count((one) => saysHuman(one) && one.truth.kind === "human"),
      count(({ truth }) => truth.kind === "human"),
    ),
    unknown: share(
      count(
        ({ verdict, truth, isBefore }) =>
          truth.kind !== "untold" && !isBefore && (verdict?.author ?? "unknown") === "unknown",
      ),
      count(({ truth }) => truth.kind !== "untold"),
    ),
    session: share(named.filter(isSession).length, named.length),
    turn: share(named.filter(isTurn).length, named.length),
  };
}

function isSession({ truth, verdict }: Judged): boolean {
  if (truth.kind !== "agent") return false;
  return verdict!.sessionUid === truth.session || verdict!.sessionUid === truth.parent;
}

function isTurn({ truth, verdict }: Judged): boolean {
  if (truth.kind !== "agent") return false;
  const { sessionUid, turn } = verdict!;
  return (
    (sessionUid === truth.session && turn === truth.turn) ||
    (sessionUid === truth.parent && turn === truth.parentTurn)
  );
}

export interface BindingFigures {
  commits: number;
  /** Of the linked sessions: those that took part in the commit. */
  precision: number | null;
  /** Of the sessions that wrote lines: those linked. */
  recall: number | null;
}

export function bindingFiguresOf(judged: readonly JudgedBindings[]): BindingFigures {
  let bound = 0;
  let right = 0;
  let wanted = 0;
  let found = 0;
  for (const { bound: bindings, wrote, hadPart } of judged) {
    const names = sessionsIn(bindings);
    // What is only a maybe is claimed of nobody.
    const claimed = sessionsIn(bindings.filter(({ confidence }) => confidence >= certain));
    bound += claimed.size;
    right += [...claimed].filter((name) => hadPart.has(name)).length;
    wanted += wrote.size;
    found += [...wrote].filter((name) => names.has(name)).length;
  }
  return { commits: judged.length, precision: share(right, bound), recall: share(found, wanted) };
}

/** The sessions that are named, subagents as those that they worked for. */
const sessionsIn = (bindings: JudgedBindings["bound"]) =>
  new Set(bindings.map(({ sessionUid }) => sessionUid.split("/")[0]!));
