import { findOpenMemory, loadCurrentConfig } from "../../answers/open.ts";
import type { Running, Subjects } from "../../answers/operation.ts";
import { maxResults } from "../../base/max-results.ts";
import type { Project } from "../../base/paths.ts";
import { parseWhen } from "../../base/text/dates.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { tokenize } from "../../base/text/tokens.ts";
import type { TranscriptSearchResponse } from "../../protocol/results.ts";
import { readStoredTurns } from "../../sessions/turn-content.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { findSessionByUid, listSessions } from "../../store/memory/sessions/sessions.ts";
import { findTurn, listTurns } from "../../store/memory/sessions/turns.ts";
import { findDecisions } from "../decisions/decisions.ts";
import { findFixes } from "../fix/find-fixes.ts";
import { findWorkingCommands } from "../how/find-commands.ts";
import { findRelatedSessions } from "../related/related.ts";
import { openMemorySearch } from "../search/all.ts";
import {
  describeStanding,
  formatTurnPlace,
  isTakenBack,
  toCommandClaim,
  toDecisionClaim,
  toErrorClaim,
} from "./claims.ts";
import type { Claim, RecallAnswer, RecallKind, RecallRequest } from "./operation.ts";
import { parseTurnId, readRecorded } from "./read.ts";
import { findSaid, findTakenBack, listSentences, wordTakenBack } from "./said.ts";
import {
  askedTokens,
  findBestSentence,
  isTellingPrompt,
  measureSharedWords,
  rankByWords,
} from "./sentences.ts";
import { findWorkState } from "./state.ts";

const defaultClaims = 8;
const maxOfKind = { decision: 3, command: 2, fix: 3, attempt: 5 } as const;
/** Turns that a search is asked for: those of one session are one claim. */
const searchedTurns = 30;
const maxOfSession = 1;
/** Of the turns that a passage spans. */
const maxTurnsOfPassage = 5;
/** The share of a question's words, by how rare they are, that a decision has at least. */
const minDecisionShare = 0.5;
/** The share of them that what a search is not sure of has at least. */
const minUnsureShare = 0.4;

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
    /^[0-9a-f]{8}(?:[0-9a-f-]*)$/.test(session) ||
    (turn !== null && findSessionByUid(memory, session) !== null)
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
  const isWanted = (one: RecallKind) => kind === undefined || kind.includes(one);
  const filters = {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(branch !== undefined && { branch }),
  };
  if (saidBy === "user" && kind === undefined) {
    const claims = findSaid(await listSentences(memory, { files: file, ...filters, isOwn }), about);
    return { verdict: claims.length > 0 ? "found" : "probably_not_here", claims, notes: [] };
  }
  const isPlain = file.length === 0 && branch === undefined && agent === undefined;
  const fixes =
    about !== "" && isPlain && isWanted("fix") && (kind !== undefined || looksLikeError.test(about))
      ? listFixClaims(project, memory, about, isOwn)
      : [];
  const commands =
    about !== "" && isPlain && isWanted("command") && (kind !== undefined || asksToRun.test(about))
      ? listCommandClaims(memory, about)
      : [];
  const decisions = isWanted("decision") ? await listDecisionClaims(project, memory, request, isOwn) : [];
  const search =
    about !== "" && isWanted("attempt")
      ? await (await openMemorySearch(project, memory, loadCurrentConfig(project)))(
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
  const attempts = search === null ? [] : listAttemptClaims(memory, about, search, isOwn);
  if (about === "" && isWanted("attempt"))
    attempts.push(...(await listLatestClaims(project, memory, request, isOwn)));
  const isMeant =
    fixes.length + commands.length + decisions.length > 0 || (about === "" && attempts.length > 0);
  const claims = dedupeClaims([...fixes, ...commands, ...decisions, ...attempts]);
  return {
    verdict: isMeant ? "found" : (search?.verdict ?? "probably_not_here"),
    ...(search?.coverage !== undefined && { coverage: search.coverage }),
    claims,
    notes: [...(search?.notes ?? [])],
  };
}

/** What was decided and noted, with what was said later that may take it back. */
async function listDecisionClaims(
  project: Project,
  memory: Memory,
  { about = "", file = [], said_by: saidBy, kind, limit, ...when }: RecallRequest,
  isOwn: (session: string) => boolean,
): Promise<Claim[]> {
  const period = { since: when.since, until: when.until, branch: when.branch };
  const asked = { ...period, query: "", files: file, limit: maxResults };
  const all = (await findDecisions(project, memory, asked, loadCurrentConfig(project))).decisions
    .filter(({ by }) => saidBy === undefined || (saidBy === "user") === (by === "person"))
    .filter(({ session_id: id }) => id === null || !isOwn(id));
  const max = kind === undefined ? maxOfKind.decision : (limit ?? defaultClaims);
  const tokens = new Map(all.map((one) => [one, new Set(tokenize(one.text))]));
  const ranked =
    about === ""
      ? all
      : rankByWords(all, askedTokens(about), (one) => tokens.get(one)!, minDecisionShare).map(
          ({ item }) => item,
        );
  const claims = ranked.slice(0, max).map(toDecisionClaim);
  if (claims.length === 0 || about === "") return claims;
  const sentences = await listSentences(memory, { files: [], isOwn });
  return claims.map((claim) => {
    const { at, id } = claim;
    if (claim.standing.length > 0 || at === null) return claim;
    const later = findTakenBack(sentences, about, {
      decision: `${claim.text} ${claim.outcome ?? ""}`,
      at: Date.parse(at),
      turnId: id ?? "",
    });
    if (later === null) return claim;
    return { ...claim, standing: [wordTakenBack(later)] };
  });
}

function listFixClaims(
  project: Project,
  memory: Memory,
  error: string,
  leaves: (session: string) => boolean,
): Claim[] {
  const roots = findOpenMemory(project, memory)?.roots ?? [project.root];
  const { errors } = findFixes(roots, memory, { error, limit: maxOfKind.fix, leaves });
  const [known] = errors.filter(({ fix }) => fix !== null);
  // What was not fixed says nothing beside what was.
  return (known === undefined ? errors.slice(0, 1) : errors.filter(({ fix }) => fix !== null)).map(
    toErrorClaim,
  );
}

function listCommandClaims(memory: Memory, about: string): Claim[] {
  const { verdict, commands } = findWorkingCommands(memory, { q: about, limit: maxOfKind.command });
  return verdict === "none" ? [] : commands.map(toCommandClaim);
}

/** What was asked and tried, one claim of a session, each with what came of it. */
function listAttemptClaims(
  memory: Memory,
  about: string,
  { results, verdict }: TranscriptSearchResponse,
  isOwn: (session: string) => boolean,
): Claim[] {
  const max = verdict === "found" ? maxOfKind.attempt : 3;
  const wanted = askedTokens(about);
  const ofSession = new Map<string, number>();
  const claims: Claim[] = [];
  for (const result of results) {
    if (claims.length === max) break;
    const { session_id: uid, last_turn } = result;
    const seen = ofSession.get(uid) ?? 0;
    if (isOwn(uid) || last_turn === 0 || seen >= maxOfSession) continue;
    const claim = toTurnClaim(memory, about, result, wanted);
    if (claim === null) continue;
    const isSure =
      verdict === "found" ||
      measureSharedWords(wanted, `${claim.text} ${claim.outcome ?? ""}`) >= minUnsureShare;
    if (!isSure) continue;
    ofSession.set(uid, seen + 1);
    claims.push(claim);
  }
  return claims;
}

/** Without a question: what was asked last, or last about these files. */
async function listLatestClaims(
  project: Project,
  memory: Memory,
  { file = [], since, until, branch, agent, limit = defaultClaims }: RecallRequest,
  isOwn: (session: string) => boolean,
): Promise<Claim[]> {
  if (file.length > 0) {
    const asked = { files: file, query: "", limit: limit + maxOfSession };
    const { sessions } = await findRelatedSessions(project, memory, asked, loadCurrentConfig(project));
    return sessions
      .filter(({ session_id }) => !isOwn(session_id))
      .flatMap(({ session_id, turns: [turn] }) => {
        const session = findSessionByUid(memory, session_id);
        if (session === null || turn === undefined) return [];
        return toWordsClaim(memory, session, turn.turn, "") ?? [];
      });
  }
  const period = {
    since: since === undefined ? null : await parseWhen(since, "since"),
    until: until === undefined ? null : await parseWhen(until, "until"),
  };
  const filter = { ...period, branch: branch ?? null, agent: agent ?? null, remembered: true };
  return listSessions(memory, { ...filter, limit: limit + 1 })
    .filter(({ uid }) => !isOwn(uid))
    .flatMap((session) => {
      const last = listTurns(memory, session.id).findLast(({ prompt }) => isTellingPrompt(prompt));
      return last === undefined ? [] : (toWordsClaim(memory, session, last.number, "") ?? []);
    });
}

function toTurnClaim(
  memory: Memory,
  about: string,
  result: TranscriptSearchResponse["results"][number],
  wanted: ReadonlySet<string>,
): Claim | null {
  const session = findSessionByUid(memory, result.session_id);
  if (session === null) return null;
  // Short turns are found together.
  const [first, last] = [
    Math.max(result.turn, 1),
    Math.min(result.last_turn, result.turn + maxTurnsOfPassage),
  ];
  const meant = listTurns(memory, session.id, { first, last })
    .map(({ number, prompt }) => ({ number, share: measureSharedWords(wanted, prompt) }))
    .sort((a, b) => b.share - a.share)[0];
  const claim = toWordsClaim(memory, session, meant?.number ?? first, about);
  if (claim === null) return null;
  const kind = claim.kind === "asked" && isTakenBack(result) ? "tried" : claim.kind;
  return { ...claim, kind, at: claim.at ?? result.timestamp, standing: describeStanding(result) };
}

/** What was asked in a turn with what the agent said in the end, as far as it is about the question. */
function toWordsClaim(memory: Memory, session: SessionRecord, number: number, about: string): Claim | null {
  const turn = findTurn(memory, session.id, number);
  if (turn === null) return null;
  const said: string[] = [];
  for (const { lines } of readStoredTurns(memory, session.id, { first: number, last: number }))
    for (const { entries } of lines)
      for (const entry of entries) if (entry.kind === "text") said.push(entry.text);
  const reply = findBestSentence(said, about);
  const isAsked = isTellingPrompt(turn.prompt);
  if (!isAsked && reply === null) return null;
  return {
    kind: isAsked ? "asked" : "said",
    text: isAsked ? (findBestSentence([turn.prompt], about) ?? turn.prompt) : reply!,
    outcome: isAsked ? reply : null,
    by: session.author ?? (isAsked ? "user" : session.agent),
    at: formatIsoTime(turn.startedAt),
    standing: [],
    id: formatTurnPlace(session.uid, number),
  };
}

/** Without what says the same as one before it. */
function dedupeClaims(claims: readonly Claim[]): Claim[] {
  const seen = new Set<string>();
  return claims.filter(({ text }) => {
    const key = text.toLowerCase().replace(/\W+/g, " ").trim().slice(0, 80);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
