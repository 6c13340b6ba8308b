import { configOf, keeperOf } from "../../answers/open.ts";
import type { Running, Subjects } from "../../answers/operation.ts";
import type { Project } from "../../project/paths.ts";
import type { TranscriptSearchResponse } from "../../protocol/results.ts";
import { storedTurns } from "../../sessions/turn-content.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { turnOf } from "../../store/memory/sessions/turns.ts";
import { decisionsIn } from "../decisions/decisions.ts";
import { fixesOf } from "../fix/find-fixes.ts";
import { howTo } from "../how/find-commands.ts";
import { memorySearch } from "../search/all.ts";
import { isoTime } from "../status/describe-index.ts";
import {
  claimFromCommand,
  claimFromDecision,
  claimFromError,
  isTakenBack,
  placeOfTurn,
  standingOf,
} from "./claims.ts";
import type { Claim, RecallAnswer, RecallKind, RecallRequest } from "./operation.ts";
import { parseTurnId, readRecorded } from "./read.ts";
import { findSaid } from "./said.ts";
import { bestSentence, isTellingPrompt } from "./sentences.ts";
import { findWorkState } from "./state.ts";

const defaultClaims = 8;
const maxOfKind = { decision: 3, command: 2, fix: 3, attempt: 5 } as const;
/** Turns that a search is asked for: those of one session are one claim. */
const searchedTurns = 30;
const maxOfSession = 1;

/** What names a run, rather than what it was about. */
const asksToRun =
  /\b(?:run|runs|running|ran|command|commands|execute|invoke|build|tests?|lint|format|deploy|start|install|release|benchmark|e2e)\b/i;
/** What a program prints when it fails. */
const looksLikeError =
  /\b(?:error|errors|fail(?:ed|ure|s)?|panic|exception|traceback|undefined|cannot|fatal|not found|denied)\b|\(\w+\)\s*$|^E\d{3,}/i;

/**
 * What this project's past says about something, as claims; without a question where work stopped; with an id what was said
 * and done there.
 * @throws PommelError `usage` for a time that makes no sense, `not_found` for an unknown session or turn
 */
export async function recall(
  { project, memory }: Subjects["memory"],
  request: RecallRequest,
  { signal }: Running,
): Promise<RecallAnswer> {
  const { about = "", id, kind, asked_by: asker, limit } = request;
  const nothing: RecallAnswer = { verdict: "found", claims: [], state: null, read: null, notes: [] };
  const named = id ?? (isTurnId(memory, about) ? about : null);
  if (named !== null)
    return { ...nothing, read: readRecorded(project, memory, { ...parseTurnId(named), limit }) };
  const isOwn = (session: string) =>
    asker !== undefined && (session === asker || session.startsWith(`${asker}/`));
  const wantsState = kind?.includes("open") === true || (about === "" && !isFiltered(request));
  const state = wantsState ? await findWorkState(project, memory, { leaves: isOwn, now: Date.now() }) : null;
  if (wantsState && (about === "" || kind?.length === 1)) return { ...nothing, state };
  const found = await findClaims(project, memory, request, isOwn, signal);
  return { ...nothing, ...found, claims: found.claims.slice(0, limit ?? defaultClaims), state };
}

const isFiltered = ({ kind, file, since, until, branch, agent, said_by }: RecallRequest): boolean =>
  [kind, file, since, until, branch, agent, said_by].some((filter) => filter !== undefined);

/** "5f0c3a21:8", or the id of a session. */
function isTurnId(memory: Memory, text: string): boolean {
  if (!/^[\w./-]{6,}(?::\d+)?$/.test(text) || !/\d/.test(text)) return false;
  const { session, turn } = parseTurnId(text);
  return (
    /^[0-9a-f]{8}(?:[0-9a-f-]*)$/.test(session) || (turn !== null && sessionByUid(memory, session) !== null)
  );
}

type Found = Pick<RecallAnswer, "verdict" | "coverage" | "claims" | "notes">;

async function findClaims(
  project: Project,
  memory: Memory,
  request: RecallRequest,
  isOwn: (session: string) => boolean,
  signal: AbortSignal | undefined,
): Promise<Found> {
  const { about = "", said_by: saidBy, kind, file = [], since, until, branch, agent } = request;
  const wants = (one: RecallKind) => kind === undefined || kind.includes(one);
  const filters = {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(branch !== undefined && { branch }),
  };
  if (saidBy === "user" && kind === undefined) {
    const claims = await findSaid(memory, { about, files: file, ...filters, isOwn });
    return { verdict: claims.length > 0 ? "found" : "probably_not_here", claims, notes: [] };
  }
  const config = configOf(project);
  const isPlain = file.length === 0 && branch === undefined && agent === undefined;
  const fixes =
    about !== "" && isPlain && wants("fix") && (kind !== undefined || looksLikeError.test(about))
      ? fixClaims(project, memory, about, isOwn)
      : [];
  const commands =
    about !== "" && isPlain && wants("command") && (kind !== undefined || asksToRun.test(about))
      ? commandClaims(memory, about)
      : [];
  const decided = wants("decision")
    ? await decisionsIn(
        project,
        memory,
        { query: about, files: file, ...filters, limit: maxOfKind.decision * 2 },
        config,
      )
    : { decisions: [] };
  const decisions = decided.decisions
    .filter(({ by }) => saidBy === undefined || (saidBy === "user") === (by === "person"))
    .slice(0, kind === undefined ? maxOfKind.decision : (request.limit ?? defaultClaims))
    .map(claimFromDecision);
  const search =
    about !== "" && wants("attempt")
      ? await (await memorySearch(project, memory, config))(
          {
            q: about,
            by: "turn",
            limit: searchedTurns,
            ...filters,
            ...(file.length > 0 && { file: [...file] }),
            ...(agent !== undefined && { agent }),
          },
          signal,
        )
      : null;
  const attempts = search === null ? [] : attemptClaims(memory, about, search, isOwn);
  const isMeant = fixes.length + commands.length + decisions.length > 0;
  const claims = distinctClaims([...fixes, ...commands, ...decisions, ...attempts]);
  return {
    verdict: isMeant ? "found" : (search?.verdict ?? "probably_not_here"),
    ...(search?.coverage !== undefined && { coverage: search.coverage }),
    claims,
    notes: [...(search?.notes ?? [])],
  };
}

function fixClaims(
  project: Project,
  memory: Memory,
  error: string,
  leaves: (session: string) => boolean,
): Claim[] {
  const roots = keeperOf(project, memory)?.roots ?? [project.root];
  const { errors } = fixesOf(roots, memory, { error, limit: maxOfKind.fix, leaves });
  const [known] = errors.filter(({ fix }) => fix !== null);
  // What was not fixed says nothing beside what was.
  return (known === undefined ? errors.slice(0, 1) : errors.filter(({ fix }) => fix !== null)).map(
    claimFromError,
  );
}

function commandClaims(memory: Memory, about: string): Claim[] {
  const { verdict, commands } = howTo(memory, { q: about, limit: maxOfKind.command });
  return verdict === "none" ? [] : commands.map(claimFromCommand);
}

/** What was asked and tried, one claim of a session, each with what came of it. */
function attemptClaims(
  memory: Memory,
  about: string,
  { results, verdict }: TranscriptSearchResponse,
  isOwn: (session: string) => boolean,
): Claim[] {
  const max = verdict === "found" ? maxOfKind.attempt : 3;
  const ofSession = new Map<string, number>();
  const claims: Claim[] = [];
  for (const result of results) {
    if (claims.length === max) break;
    const { session_id: uid, turn: first, last_turn } = result;
    const seen = ofSession.get(uid) ?? 0;
    if (isOwn(uid) || last_turn === 0 || seen >= maxOfSession) continue;
    const claim = claimFromTurn(memory, about, result, Math.max(first, 1));
    if (claim === null) continue;
    ofSession.set(uid, seen + 1);
    claims.push(claim);
  }
  return claims;
}

function claimFromTurn(
  memory: Memory,
  about: string,
  result: TranscriptSearchResponse["results"][number],
  number: number,
): Claim | null {
  const session = sessionByUid(memory, result.session_id);
  const turn = session === null ? null : turnOf(memory, session.id, number);
  if (session === null || turn === null) return null;
  const said: string[] = [];
  for (const { lines } of storedTurns(memory, session.id, { first: number, last: number }))
    for (const { entries } of lines)
      for (const entry of entries) if (entry.kind === "text") said.push(entry.text);
  const reply = bestSentence(said, about);
  const isAsked = isTellingPrompt(turn.prompt);
  if (!isAsked && reply === null) return null;
  const base = {
    at: isoTime(turn.startedAt) ?? result.timestamp,
    standing: standingOf(result),
    id: placeOfTurn(session.uid, number),
  };
  if (!isAsked)
    return { ...base, kind: "said", text: reply!, outcome: null, by: session.author ?? session.agent };
  return {
    ...base,
    kind: isTakenBack(result) ? "tried" : "asked",
    text: bestSentence([turn.prompt], about) ?? turn.prompt,
    outcome: reply,
    by: session.author ?? "user",
  };
}

/** Without what says the same as one before it. */
function distinctClaims(claims: readonly Claim[]): Claim[] {
  const seen = new Set<string>();
  return claims.filter(({ text }) => {
    const key = text.toLowerCase().replace(/\W+/g, " ").trim().slice(0, 80);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
