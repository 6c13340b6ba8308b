import { configOf } from "../../answers/open.ts";
import { maxResults } from "../../base/max-results.ts";
import { entry } from "../../base/multimap.ts";
import type { Project } from "../../base/paths.ts";
import { parseWhen } from "../../base/text/dates.ts";
import { beginningOf } from "../../base/text/text-size.ts";
import { gitTextIfAny } from "../../git/git.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord, TurnRecord } from "../../store/memory/memory-records.ts";
import { listSessions, sessionsByUids } from "../../store/memory/sessions/sessions.ts";
import { turnsOf } from "../../store/memory/sessions/turns.ts";
import { type UsageSum, usageOf } from "../../store/memory/sessions/usage.ts";
import { listCheckpointsOf } from "../checkpoints/checkpoints.ts";
import { decisionsIn } from "../decisions/decisions.ts";
import { briefWithoutCommands, changedIn } from "../sessions/brief.ts";
import { facetOf, listSessionsOf, tokensOf } from "../sessions/describe-session.ts";
import type { SessionSummary } from "../sessions/operation.ts";
import { openEndOf } from "../sessions/session-words.ts";
import type { DigestAnswer, DigestPart, DigestSession, digestRequest } from "./operation.ts";

/** Where a digest begins if nobody says. */
const sinceByDefault = "yesterday";

/** @throws PommelError `usage` for a time that makes no sense */
export async function periodOf(asked: {
  since?: string | undefined;
  until?: string | undefined;
}): Promise<Pick<DigestAnswer, "since" | "until">> {
  const { since = sinceByDefault, until } = asked;
  return {
    since: new Date(await parseWhen(since, "since")).toISOString(),
    until: until === undefined ? null : new Date(await parseWhen(until, "until")).toISOString(),
  };
}

/** How many commits local branches got in a time; null where git does not say. */
async function commitsBetween(root: string, since: string, until: string | null): Promise<number | null> {
  const period = [`--since=${since}`, ...(until === null ? [] : [`--until=${until}`])];
  const text = await gitTextIfAny(root, ["rev-list", "--count", "--branches", ...period]);
  return text === null ? null : Number(text);
}

/** Default number of entries in a list. */
const listed = 10;
/** A prompt of fewer words, "yes" or "go on", says what was meant only beside others. */
const fewestWords = 4;
/** Prompts of a session that are quoted, and how much of each. */
const quoted = { prompts: 3, characters: 160 } as const;

/**
 * What happened lately, from what lists of sessions, commits and decisions say of that time.
 * @throws PommelError `usage` for a time that makes no sense
 */
export async function digestOf(
  project: Project,
  memory: Memory,
  { by, author, mine, topic, branch, limit = listed, ...asked }: Shaped<typeof digestRequest>,
): Promise<DigestAnswer> {
  const { since, until } = await periodOf(asked);
  // The same moments for all lists, whatever "2 hours ago" is by then.
  const wanted = { since, ...(until !== null && { until }), ...(branch !== undefined && { branch }) };
  const period = {
    first: Date.parse(since),
    last: until === null ? Number.POSITIVE_INFINITY : Date.parse(until),
  };
  const listedSessions = await listSessionsOf(memory, {
    ...wanted,
    ...(author !== undefined && { author }),
    ...(mine !== undefined && { mine }),
    ...(topic !== undefined && { topic }),
    limit: maxResults,
  });
  const sessions = inPeriod(memory, listedSessions.sessions, period);
  const own = new Set(sessions.map(({ id }) => id));
  const isAll = author === undefined && topic === undefined && mine !== true;
  const isWanted = (id: string | null) => isAll || (id !== null && own.has(id));
  const { checkpoints } = await listCheckpointsOf(memory, { ...wanted, limit: maxResults });
  const commits = checkpoints
    .filter(({ rewritten_as }) => rewritten_as.length === 0)
    .filter(({ sessions: led }) => isAll || led.some(({ session_id }) => own.has(session_id)));
  const about = { ...wanted, query: "", files: [], limit: maxResults };
  const decisions = (await decisionsIn(project, memory, about, configOf(project))).decisions.filter(
    ({ session_id }) => isWanted(session_id),
  );
  const usage = usageIn(memory, period).filter(
    ({ owner }) => isWanted(owner.uid) && (branch === undefined || owner.branch === branch),
  );

  const partOf = (name: string | null, isIn: (one: { branch: string | null }) => boolean): DigestPart => {
    const of = {
      sessions: sessions.filter(isIn),
      commits: commits.filter(isIn),
      decisions: decisions.filter(isIn),
    };
    const unfinished = of.sessions.filter((session) => openEndOf(session) !== null || session.open !== "");
    return {
      name,
      topics: facetOf(of.sessions.flatMap(({ topics }) => topics)),
      authors: facetOf(of.sessions.map((session) => session.author ?? "")),
      sessions: of.sessions.slice(0, limit),
      sessions_total: of.sessions.length,
      commits: of.commits.slice(0, limit),
      commits_total: of.commits.length,
      decisions: of.decisions.slice(0, limit),
      decisions_total: of.decisions.length,
      unfinished: unfinished.slice(0, limit),
      unfinished_total: unfinished.length,
      tokens: byModel(usage.filter(({ owner }) => isIn(owner))),
    };
  };
  const inHistory = isAll && branch === undefined ? await commitsBetween(project.root, since, until) : null;
  const whole = { since, until, ...(inHistory !== null && { commits_in_history: inHistory }) };
  if (by === undefined) return { ...whole, parts: [partOf(null, () => true)] };
  const branches = new Set([...sessions, ...commits, ...decisions].map((one) => one.branch));
  return { ...whole, parts: [...branches].map((name) => partOf(name, (one) => one.branch === name)) };
}

/** Milliseconds since the epoch, both included. */
interface Period {
  first: number;
  last: number;
}

/** Turns of a session that began in a period, without abandoned ones. */
function turnsIn(memory: Memory, sessionId: number, { first, last }: Period): TurnRecord[] {
  return turnsOf(memory, sessionId).filter(
    ({ abandoned, startedAt }) => !abandoned && startedAt !== null && startedAt >= first && startedAt <= last,
  );
}

/** What sessions did in a period; all are asked for at once. */
function inPeriod(memory: Memory, listed: readonly SessionSummary[], period: Period): DigestSession[] {
  const rows = sessionsByUids(
    memory,
    listed.map(({ id }) => id),
  );
  return listed.map((session) => {
    const row = rows.get(session.id)!;
    const { outcome, open } = briefWithoutCommands(
      memory,
      row,
      Number.isFinite(period.last) ? period.last : null,
    );
    return { ...session, outcome, open, ...askedIn(turnsIn(memory, row.id, period)) };
  });
}

function askedIn(turns: readonly TurnRecord[]): Pick<DigestSession, "asked" | "prompts" | "files"> {
  const prompts = turns.flatMap(({ number, prompt }) => {
    const line = prompt.replace(/\s+/g, " ").trim();
    return number > 0 && line !== "" ? [beginningOf(line, quoted.characters)] : [];
  });
  const telling = prompts.filter((prompt) => prompt.split(" ").length >= fewestWords);
  return {
    asked: (telling.length > 0 ? telling : prompts).slice(0, quoted.prompts),
    prompts: prompts.length,
    files: changedIn(turns),
  };
}

interface Usage {
  /** The session itself, or the one whose subagent's it is. */
  owner: SessionRecord;
  sums: UsageSum[];
}

/** What sessions and their subagents cost in a period. */
function usageIn(memory: Memory, period: Period): Usage[] {
  const sessions = listSessions(memory, { since: period.first, children: true });
  const byId = new Map(sessions.map((session) => [session.id, session]));
  return sessions.flatMap((session) => {
    const turns = turnsIn(memory, session.id, period);
    const [first, last] = [turns[0], turns.at(-1)];
    if (first === undefined || last === undefined) return [];
    const sums = usageOf(memory, session.id, { first: first.number, last: last.number });
    const parent = session.parentId === null ? undefined : byId.get(session.parentId);
    return [{ owner: parent ?? session, sums }];
  });
}

function byModel(usage: readonly Usage[]): DigestPart["tokens"] {
  const models = new Map<string, UsageSum[]>();
  for (const { sums } of usage) for (const sum of sums) entry(models, sum.model, () => []).push(sum);
  return [...models]
    .map(([model, sums]) => ({ model, ...tokensOf(sums) }))
    .sort((a, b) => b.input + b.cache_read - (a.input + a.cache_read));
}
