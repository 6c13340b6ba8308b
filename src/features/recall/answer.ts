import { findOpenMemory, loadCurrentConfig } from "../../answers/open.ts";
import type { RunContext, Subjects } from "../../answers/operation.ts";
import { answerAbout } from "../../answers/run.ts";
import { openMemorySearch } from "../../answers/session-search.ts";
import { maxResults } from "../../base/max-results.ts";
import type { Project } from "../../base/paths.ts";
import { parsePeriod } from "../../base/text/parse-period.ts";
import { tokenize } from "../../base/text/tokens.ts";
import { findFixes } from "../../sessions/fixes/find-fixes.ts";
import { findTakenBack, listSentences, wordTakenBack } from "../../sessions/summaries/said-sentences.ts";
import { askedTokens, isTellingPrompt, rankByWords } from "../../sessions/summaries/sentences.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSessionByUid, listSessions } from "../../store/memory/sessions/sessions.ts";
import { listActiveSessions } from "../../store/memory/sessions/sessions-here.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { listAsides } from "../asides.ts";
import { listDecisions } from "../decisions/operation.ts";
import { how } from "../how/operation.ts";
import { findRelated } from "../related/operation.ts";
import { listAttemptClaims, listRepliesAround, toWordsClaim } from "./attempts.ts";
import { toCommandClaim, toDecisionClaim, toErrorClaim } from "./claim-words.ts";
import type { RecallAnswer, RecallClaim, RecallKind, RecallRequest } from "./operation.ts";
import { parseTurnId, readRecorded } from "./read.ts";
import { findSaid } from "./said.ts";
import { findWorkState } from "./state.ts";

const defaultClaims = 8;
const maxOfKind = { decision: 3, command: 2, fix: 3, attempt: 5 } as const;
/** Turns that a search is asked for: those of one session are one claim. */
const searchedTurns = 30;
/** A turn that has had no end for longer was left. Milliseconds. */
const atWorkMs = 10 * 60_000;
/** The share of a question's words, by how rare they are, that a decision has at least. */
const minDecisionShare = 0.5;
/**
 * The share of them that what was said has at least, with what stands around it: by the search's verdict. Of 13 questions of
 * bench:recall's choosing half with a "maybe", the session that answers was among the first three for 12.
 */
const minShares = { found: 0, maybe: 0.2, probably_not_here: 0.4, not_yet: 0.4 } as const;
/** The same of what a person said, with what it answers. */
const minReplyShare = 0.5;
/** What a search is not sure of. */
const maxUnsure = 3;

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
  { signal }: RunContext,
): Promise<RecallAnswer> {
  const { about = "", id, kind, asked_by: asker, limit } = request;
  const nothing: RecallAnswer = { verdict: "found", claims: [], state: null, read: null, notes: [] };
  const named = id ?? (isTurnId(memory, about) ? about : null);
  if (named !== null)
    return { ...nothing, read: await readRecorded(project, memory, { ...parseTurnId(named), limit }) };
  const own = asker === undefined ? [] : asker === "current" ? listUnfinishedSessions(memory) : [asker];
  const isOwn = (session: string) => own.some((one) => session === one || session.startsWith(`${one}/`));
  const wantsState = kind?.includes("open") === true || (about === "" && !isFiltered(request));
  const state = wantsState ? await findWorkState(project, memory, { leaves: isOwn, now: Date.now() }) : null;
  if (wantsState && (about === "" || kind?.length === 1)) return { ...nothing, state };
  const found = await findClaims(project, memory, request, isOwn, signal);
  const asides = about === "" ? [] : await listAsides(project, memory, { words: about, error: about });
  return {
    ...nothing,
    ...found,
    claims: found.claims.slice(0, limit ?? defaultClaims),
    state,
    notes: [...found.notes, ...asides],
  };
}

/** The sessions in which an agent is at work: one of them asks, where its client does not say which. */
function listUnfinishedSessions(memory: Memory): string[] {
  return listActiveSessions(memory, Date.now() - atWorkMs)
    .filter(({ uid }) => {
      const session = findSessionByUid(memory, uid);
      return session !== null && listTurns(memory, session.id).at(-1)?.state === "unfinished";
    })
    .map(({ uid }) => uid);
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

type RecalledClaims = Pick<RecallAnswer, "verdict" | "coverage" | "claims" | "notes">;

async function findClaims(
  project: Project,
  memory: Memory,
  request: RecallRequest,
  isOwn: (session: string) => boolean,
  signal: AbortSignal | undefined,
): Promise<RecalledClaims> {
  const { about = "", said_by: saidBy, kind, file = [], since, until, branch, agent } = request;
  const isWanted = (one: RecallKind) => kind === undefined || kind.includes(one);
  const filters = {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(branch !== undefined && { branch }),
  };
  const searchTurns = async () =>
    (await openMemorySearch(project, memory, loadCurrentConfig(project)))(
      {
        q: about,
        by: "turn",
        limit: searchedTurns,
        ...filters,
        ...(file.length > 0 && { file: [...file] }),
        ...(agent !== undefined && { agent }),
      },
      signal,
    );
  if (saidBy === "user" && kind === undefined) {
    const claims = findSaid(await listSentences(memory, { files: file, ...filters, isOwn }), about);
    if (about !== "" && claims.length < maxOfKind.attempt)
      claims.push(
        ...listRepliesAround(memory, about, await searchTurns(), { minShare: minReplyShare, isOwn }),
      );
    const distinct = dedupeClaims(claims);
    return { verdict: distinct.length > 0 ? "found" : "probably_not_here", claims: distinct, notes: [] };
  }
  const period = await parsePeriod(request);
  // What agents ran, of any file, branch and agent.
  const isOfAll = file.length === 0 && branch === undefined && agent === undefined && saidBy !== "user";
  const fixes =
    about !== "" && isOfAll && isWanted("fix") && (kind !== undefined || looksLikeError.test(about))
      ? listFixClaims(project, memory, { error: about, ...period, leaves: isOwn })
      : [];
  const isOfAnyTime = period.since === null && period.until === null;
  const commands =
    about !== "" &&
    isOfAll &&
    isOfAnyTime &&
    isWanted("command") &&
    (kind !== undefined || asksToRun.test(about))
      ? await listCommandClaims(project, memory, about)
      : [];
  const decisions = isWanted("decision") ? await listDecisionClaims(project, memory, request, isOwn) : [];
  const search = about !== "" && isWanted("attempt") ? await searchTurns() : null;
  const attempts =
    search === null
      ? []
      : listAttemptClaims(memory, about, search, {
          max: search.verdict === "found" ? maxOfKind.attempt : maxUnsure,
          minShare: minShares[search.verdict],
          isOwn,
        });
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
): Promise<RecallClaim[]> {
  const period = { since: when.since, until: when.until, branch: when.branch };
  const asked = { ...period, file: [...file], limit: maxResults };
  const all = (await answerAbout(listDecisions, { project, memory }, asked)).decisions
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
  request: Omit<Parameters<typeof findFixes>[2], "limit">,
): RecallClaim[] {
  const roots = findOpenMemory(project, memory)?.roots ?? [project.root];
  const { errors } = findFixes(roots, memory, { ...request, limit: maxOfKind.fix });
  const [known] = errors.filter(({ fix }) => fix !== null);
  // What was not fixed says nothing beside what was.
  return (known === undefined ? errors.slice(0, 1) : errors.filter(({ fix }) => fix !== null)).map(
    toErrorClaim,
  );
}

async function listCommandClaims(project: Project, memory: Memory, about: string): Promise<RecallClaim[]> {
  const request = { q: about, limit: maxOfKind.command };
  const { verdict, commands } = await answerAbout(how, { project, memory }, request);
  return verdict === "none" ? [] : commands.map(toCommandClaim);
}

/** Without a question: what was asked last, or last about these files. */
async function listLatestClaims(
  project: Project,
  memory: Memory,
  { file = [], since, until, branch, agent, limit = defaultClaims }: RecallRequest,
  isOwn: (session: string) => boolean,
): Promise<RecallClaim[]> {
  if (file.length > 0) {
    const { sessions } = await answerAbout(findRelated, { project }, { file, limit: limit + 1 });
    return sessions
      .filter(({ session_id }) => !isOwn(session_id))
      .flatMap(({ session_id, turns: [turn] }) => {
        const session = findSessionByUid(memory, session_id);
        if (session === null || turn === undefined) return [];
        return toWordsClaim(memory, session, turn.turn) ?? [];
      });
  }
  const filter = {
    ...(await parsePeriod({ since, until })),
    branch: branch ?? null,
    agent: agent ?? null,
    remembered: true,
  };
  return listSessions(memory, { ...filter, limit: limit + 1 })
    .filter(({ uid }) => !isOwn(uid))
    .flatMap((session) => {
      const last = listTurns(memory, session.id).findLast(({ prompt }) => isTellingPrompt(prompt));
      return last === undefined ? [] : (toWordsClaim(memory, session, last.number) ?? []);
    });
}

/** Without what says the same as one before it. */
function dedupeClaims(claims: readonly RecallClaim[]): RecallClaim[] {
  const seen = new Set<string>();
  return claims.filter(({ text }) => {
    const key = text.toLowerCase().replace(/\W+/g, " ").trim().slice(0, 80);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
