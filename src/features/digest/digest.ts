import { describeUnanalysed } from "../../answers/backfill-hint.ts";
import { describeUnreadSessions } from "../../answers/read-asked.ts";
import { answerAbout } from "../../answers/run.ts";
import { maxResults } from "../../base/max-results.ts";
import { getOrCreate } from "../../base/multimap.ts";
import type { Project } from "../../base/paths.ts";
import { parseWhen } from "../../base/text/dates.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { readGitTextIfAny } from "../../git/git.ts";
import { certain } from "../../protocol/reading/evidence.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { buildBriefWithoutCommands, listWrittenFiles } from "../../sessions/brief/brief.ts";
import { sumTokens } from "../../sessions/cost/prices.ts";
import { countFacet } from "../../sessions/facets.ts";
import { findAnalysedCommits } from "../../store/memory/commits/attributions.ts";
import { countUnreadImports } from "../../store/memory/jobs/job-rows.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord, TurnRecord } from "../../store/memory/memory-records.ts";
import { listSessions as listRecords, readSessionsByUids } from "../../store/memory/sessions/sessions.ts";
import { findHistoryStart } from "../../store/memory/sessions/sessions-here.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { sumSessionUsage, type UsageSum } from "../../store/memory/sessions/usage.ts";
import { listCheckpoints } from "../checkpoints/operation.ts";
import { listDecisions } from "../decisions/operation.ts";
import { describeOpenEnd } from "../sessions/end-words.ts";
import { listSessions, type SessionSummary } from "../sessions/operation.ts";
import type { DigestAnswer, DigestPart, DigestSession, digestRequest } from "./operation.ts";

/** Where a digest begins if nobody says. */
const sinceByDefault = "yesterday";

/** @throws PommelError `usage` for a time that makes no sense */
export async function resolvePeriod(asked: {
  since?: string | undefined;
  until?: string | undefined;
}): Promise<Pick<DigestAnswer, "since" | "until">> {
  const { since = sinceByDefault, until } = asked;
  return {
    since: new Date(await parseWhen(since, "since")).toISOString(),
    until: until === undefined ? null : new Date(await parseWhen(until, "until")).toISOString(),
  };
}

/** The commits that local branches got in a time, and when each was authored; null where git does not say. */
async function listCommitsBetween(
  root: string,
  since: string,
  until: string | null,
): Promise<Map<string, number> | null> {
  const period = [`--since=${since}`, ...(until === null ? [] : [`--until=${until}`])];
  const text = await readGitTextIfAny(root, ["log", "--format=%H %at", "--branches", ...period]);
  if (text === null) return null;
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line): [string, number] => {
      const [hash = "", seconds = ""] = line.split(" ");
      return [hash, Number(seconds) * 1000];
    }),
  );
}

/** What a digest leaves out: sessions that are not read yet, and commits of which nobody knows yet whose they are. */
function describeMissing(memory: Memory, history: ReadonlyMap<string, number> | null): string[] {
  const seen = findAnalysedCommits(memory, { since: null, until: null });
  // What is older than every session has none.
  const start = findHistoryStart(memory) ?? Number.POSITIVE_INFINITY;
  const unseen = [...(history ?? [])].flatMap(([hash, at]) => (seen.has(hash) || at < start ? [] : [at]));
  const unread = countUnreadImports(memory);
  return [
    ...(unread === 0 ? [] : [`${describeUnreadSessions(unread)}.`]),
    ...describeUnanalysed(memory, unseen, "which sessions led to them is not known"),
  ];
}

/** Default number of entries in a list. */
const defaultLimit = 10;
/** A prompt of fewer words, "yes" or "go on", says what was meant only beside others. */
const fewestWords = 4;
/** Prompts of a session that are quoted, and how much of each. */
const quoted = { prompts: 3, characters: 160 } as const;

/**
 * What happened lately, from what lists of sessions, commits and decisions say of that time.
 * @throws PommelError `usage` for a time that makes no sense
 */
export async function buildDigest(
  project: Project,
  memory: Memory,
  { by, author, mine, topic, branch, limit = defaultLimit, ...asked }: Shaped<typeof digestRequest>,
): Promise<DigestAnswer> {
  const { since, until } = await resolvePeriod(asked);
  // The same moments for all lists, whatever "2 hours ago" is by then.
  const wanted = { since, ...(until !== null && { until }), ...(branch !== undefined && { branch }) };
  const period = {
    first: Date.parse(since),
    last: until === null ? Number.POSITIVE_INFINITY : Date.parse(until),
  };
  const listedSessions = await answerAbout(
    listSessions,
    { project, memory },
    {
      ...wanted,
      ...(author !== undefined && { author }),
      ...(mine !== undefined && { mine }),
      ...(topic !== undefined && { topic }),
      limit: maxResults,
    },
  );
  const sessions = toDigestSessions(memory, listedSessions.sessions, period);
  const own = new Set(sessions.map(({ id }) => id));
  const isAll = author === undefined && topic === undefined && mine !== true;
  const isWanted = (id: string | null) => isAll || (id !== null && own.has(id));
  const { checkpoints } = await answerAbout(
    listCheckpoints,
    { project, memory },
    { ...wanted, limit: maxResults },
  );
  const commits = checkpoints
    .filter(({ rewritten_as }) => rewritten_as.length === 0)
    .filter(({ sessions: led }) => led.some(({ confidence }) => confidence >= certain))
    .filter(({ sessions: led }) => isAll || led.some(({ session_id }) => own.has(session_id)));
  const about = { ...wanted, limit: maxResults };
  const decided = await answerAbout(listDecisions, { project, memory }, about);
  const decisions = decided.decisions.filter(({ session_id }) => isWanted(session_id));
  const usage = readUsage(memory, period).filter(
    ({ owner }) => isWanted(owner.uid) && (branch === undefined || owner.branch === branch),
  );

  const buildPart = (name: string | null, isIn: (one: { branch: string | null }) => boolean): DigestPart => {
    const of = {
      sessions: sessions.filter(isIn),
      commits: commits.filter(isIn),
      decisions: decisions.filter(isIn),
    };
    const unfinished = of.sessions.filter(
      (session) => describeOpenEnd(session) !== null || session.open !== "",
    );
    return {
      name,
      topics: countFacet(of.sessions.flatMap(({ topics }) => topics)),
      authors: countFacet(of.sessions.map((session) => session.author ?? "")),
      sessions: of.sessions.slice(0, limit),
      sessions_total: of.sessions.length,
      commits: of.commits.slice(0, limit),
      commits_total: of.commits.length,
      decisions: of.decisions.slice(0, limit),
      decisions_total: of.decisions.length,
      unfinished: unfinished.slice(0, limit),
      unfinished_total: unfinished.length,
      tokens: sumByModel(usage.filter(({ owner }) => isIn(owner))),
    };
  };
  const history = await listCommitsBetween(project.root, since, until);
  const countsAll = isAll && branch === undefined && history !== null;
  const whole = {
    since,
    until,
    ...(countsAll && { commits_in_history: history.size }),
    notes: describeMissing(memory, history),
  };
  if (by === undefined) return { ...whole, parts: [buildPart(null, () => true)] };
  const branches = new Set([...sessions, ...commits, ...decisions].map((one) => one.branch));
  return { ...whole, parts: [...branches].map((name) => buildPart(name, (one) => one.branch === name)) };
}

/** Milliseconds since the epoch, both included. */
interface DigestPeriod {
  first: number;
  last: number;
}

/** Turns of a session that began in a period, without abandoned ones. */
function listTurnsInPeriod(memory: Memory, sessionId: number, { first, last }: DigestPeriod): TurnRecord[] {
  return listTurns(memory, sessionId).filter(
    ({ abandoned, startedAt }) => !abandoned && startedAt !== null && startedAt >= first && startedAt <= last,
  );
}

/** What sessions did in a period; all are asked for at once. */
function toDigestSessions(
  memory: Memory,
  listed: readonly SessionSummary[],
  period: DigestPeriod,
): DigestSession[] {
  const rows = readSessionsByUids(
    memory,
    listed.map(({ id }) => id),
  );
  return listed.map((session) => {
    const row = rows.get(session.id)!;
    const { outcome, open } = buildBriefWithoutCommands(
      memory,
      row,
      Number.isFinite(period.last) ? period.last : null,
    );
    return { ...session, outcome, open, ...pickPrompts(listTurnsInPeriod(memory, row.id, period)) };
  });
}

function pickPrompts(turns: readonly TurnRecord[]): Pick<DigestSession, "asked" | "prompts" | "files"> {
  const prompts = turns.flatMap(({ number, prompt }) => {
    const line = prompt.replace(/\s+/g, " ").trim();
    return number > 0 && line !== "" ? [shortenText(line, quoted.characters)] : [];
  });
  const telling = prompts.filter((prompt) => prompt.split(" ").length >= fewestWords);
  return {
    asked: (telling.length > 0 ? telling : prompts).slice(0, quoted.prompts),
    prompts: prompts.length,
    files: listWrittenFiles(turns),
  };
}

interface SessionUsage {
  /** The session itself, or the one whose subagent's it is. */
  owner: SessionRecord;
  sums: UsageSum[];
}

/** What sessions and their subagents cost in a period. */
function readUsage(memory: Memory, period: DigestPeriod): SessionUsage[] {
  const sessions = listRecords(memory, { since: period.first, children: true });
  const byId = new Map(sessions.map((session) => [session.id, session]));
  return sessions.flatMap((session) => {
    const turns = listTurnsInPeriod(memory, session.id, period);
    const [first, last] = [turns[0], turns.at(-1)];
    if (first === undefined || last === undefined) return [];
    const sums = sumSessionUsage(memory, session.id, { first: first.number, last: last.number });
    const parent = session.parentId === null ? undefined : byId.get(session.parentId);
    return [{ owner: parent ?? session, sums }];
  });
}

function sumByModel(usage: readonly SessionUsage[]): DigestPart["tokens"] {
  const models = new Map<string, UsageSum[]>();
  for (const { sums } of usage) for (const sum of sums) getOrCreate(models, sum.model, () => []).push(sum);
  return [...models]
    .map(([model, sums]) => ({ model, ...sumTokens(sums) }))
    .sort((a, b) => b.input + b.cache_read - (a.input + a.cache_read));
}
