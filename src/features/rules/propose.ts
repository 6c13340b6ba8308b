import { createHash } from "node:crypto";
import type { Memory } from "../../store/memory/memory.ts";
import { findMatch, type RuleCheck, readRequest } from "./check.ts";
import type { Used } from "./find-rules.ts";
import { findRulesTakenBack } from "./find-taken-back.ts";
import type { Proposal, ProposalsAnswer } from "./operation.ts";
import {
  findRulesNoted,
  findRulesSaid,
  type PastTurn,
  readPast,
  readUsed,
  type Saying,
} from "./read-past.ts";

/** A rule that does not say that it holds on was said in so many sessions. */
const minSessions = 2;
/**
 * One that hits more of all calls would be in the way. A reminder comes once in a session: where only these stay below it, the rule
 * is proposed as one that reminds.
 */
const maxHitShare = 0.02;
const maxExamples = 3;
const maxSaid = 5;

export const identifyCheck = (check: RuleCheck): string =>
  createHash("sha256").update(JSON.stringify(check)).digest("hex").slice(0, 8);

/**
 * @param known ids of rules that are accepted already, or were dropped
 * @param findWritten rules that stand in files of instructions
 */
export async function findProposals(
  memory: Memory,
  known: ReadonlySet<string>,
  findWritten: (used: Used) => Saying[],
): Promise<ProposalsAnswer> {
  const sayings = new Map<string, Saying[]>();
  const add = (saying: Saying) => {
    const id = identifyCheck(saying.check);
    if (known.has(id)) return;
    const others = sayings.get(id) ?? [];
    // One sentence is found for what it says, and for what became of the lines that it is about.
    const same = others.find(
      ({ session, turn, text }) => session === saying.session && turn === saying.turn && text === saying.text,
    );
    if (same === undefined) sayings.set(id, [...others, saying]);
    else same.holdsOn ||= saying.holdsOn;
  };
  const sessions = new Set<string>();
  const tools = new Set<string>();
  const turns: Omit<PastTurn, "calls">[] = [];
  let ofSession: PastTurn[] = [];
  const closeSession = () => {
    for (const { turn, ...found } of findRulesTakenBack(ofSession)) {
      const { session, at } = ofSession.find((one) => one.turn === turn)!;
      add({ ...found, session, turn, at });
    }
    ofSession = [];
  };
  // Most turns say no rule; those that do are few, and their calls are replayed in a second reading.
  for await (const past of readPast(memory)) {
    if (past.session !== ofSession[0]?.session) closeSession();
    ofSession.push(past);
    const { calls, ...turn } = past;
    sessions.add(turn.session);
    turns.push(turn);
    for (const { call } of calls) tools.add(call.tool);
  }
  closeSession();
  const used = readUsed(memory, tools);
  for (const turn of turns) for (const saying of findRulesSaid(turn, used)) add(saying);
  for (const saying of findRulesNoted(memory, used)) add(saying);
  for (const saying of findWritten(used)) add(saying);
  const wanted = [...sayings]
    .map(([id, all]) => describeProposal(id, all))
    .filter(({ sessions: inSessions, holdsOn }) => holdsOn || inSessions >= minSessions);
  if (wanted.length > 0)
    for await (const turn of readPast(memory)) for (const one of wanted) replay(one, turn);
  const proposals = wanted
    .filter(({ replay: { calls, reminders } }) => reminders <= maxHitShare * calls)
    .sort(
      (a, b) => b.sessions - a.sessions || b.replay.denied - a.replay.denied || b.replay.hits - a.replay.hits,
    )
    .map(({ holdsOn: _, latestTurn: __, asked: ___, reminded: ____, ...proposal }) => ({
      ...proposal,
      only_reminds: onlyReminds(proposal.replay),
    }));
  return { proposals, sessions: sessions.size, turns: turns.length };
}

type RuleCandidate = Omit<Proposal, "only_reminds"> & Pick<Saying, "holdsOn"> & Replayed;

function describeProposal(id: string, all: readonly Saying[]): RuleCandidate {
  const latest = all.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0));
  const best = latest.find(({ holdsOn }) => holdsOn) ?? latest[0]!;
  return {
    id,
    text: best.text,
    check: best.check,
    times: all.length,
    sessions: new Set(all.map(({ session }) => session)).size,
    said: latest.slice(0, maxSaid).map(({ text, session, turn, at, file, isTakenBack }) => ({
      text,
      session_id: session,
      turn,
      at: at === null ? null : new Date(at).toISOString(),
      ...(file !== undefined && { file }),
      ...(isTakenBack && { taken_back: true }),
    })),
    mode: "remind",
    holdsOn: latest.some(({ holdsOn }) => holdsOn),
    latestTurn: new Map(all.map(({ session, turn }) => [session, turn])),
    asked: new Set(),
    reminded: new Set(),
    replay: makeReplay(),
  };
}

/** What a rule is replayed by. */
export interface Replayed extends Pick<Proposal, "check" | "replay"> {
  /** By session, the last turn in which it was said. */
  latestTurn: ReadonlyMap<string, number>;
  /** Sessions in which it was asked for in all of what follows. */
  asked: Set<string>;
  /** Sessions in which it spoke though nobody had complained: one that reminds does so once in each. */
  reminded: Set<string>;
}

const onlyReminds = ({ calls, hits, denied, before }: Proposal["replay"]): boolean =>
  hits - denied - before > maxHitShare * calls;

export const makeReplay = (): Proposal["replay"] => ({
  calls: 0,
  hits: 0,
  denied: 0,
  before: 0,
  reminders: 0,
  examples: [],
});

/** Counts what a rule would have said in a turn: nothing where the person asked for it. */
export function replay(
  { check, replay: counted, latestTurn, asked, reminded }: Replayed,
  { session, turn, said, calls: all }: PastTurn,
): void {
  const calls = check.kind === "tool" ? all : all.filter(({ isOther }) => !isOther);
  counted.calls += calls.length;
  // What they said when they denied a call is no request.
  const prompt = said.find(({ denied }) => denied === null);
  const request = prompt === undefined ? null : readRequest(check, prompt.text);
  if (request === "always") asked.add(session);
  if (request === "refused") asked.delete(session);
  const isAsked = request === "now" || asked.has(session);
  for (const { call, wasDenied } of calls) {
    const what = isAsked && !wasDenied ? null : findMatch(check, call);
    if (what === null) continue;
    counted.hits++;
    if (wasDenied) counted.denied++;
    else if (turn < (latestTurn.get(session) ?? 0)) counted.before++;
    else counted.reminders = reminded.add(session).size;
    if (counted.examples.length < maxExamples)
      counted.examples.push({
        session_id: session,
        turn,
        what: what.trim().slice(0, 160),
        was_denied: wasDenied,
      });
  }
}
