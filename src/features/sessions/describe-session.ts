import { agentNames, resumeProgram } from "../../agents/profiles.ts";
import { PommelError } from "../../base/errors.ts";
import { getOrCreate } from "../../base/multimap.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { shortenText } from "../../base/text/text-size.ts";
import type { Turn } from "../../sessions/turn-content.ts";
import { detectTurnState } from "../../sessions/turn-state.ts";
import { listAnnotations } from "../../store/memory/chunks/annotations.ts";
import { type CommandRecord, listCommands } from "../../store/memory/commands.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { unpackContent } from "../../store/memory/sessions/content.ts";
import {
  findSession,
  listSessionAgents,
  listSessions,
  readSessionCounts,
  readSessionsByIds,
} from "../../store/memory/sessions/sessions.ts";
import { findBestSummaries, readTopicsOfSessions } from "../../store/memory/sessions/summaries.ts";
import {
  findLastTurns,
  findTurnContent,
  listFilesOfSession,
  listTurns,
} from "../../store/memory/sessions/turns.ts";
import { sumSessionUsage, type UsageSum } from "../../store/memory/sessions/usage.ts";
import { sessions as sessionRows } from "../../store/tables/sessions.ts";
import { toAnnotation } from "../notes/notes.ts";
import type { AnnotationsRequest, AnnotationsResponse } from "../notes/operation.ts";
import { buildBrief } from "./brief.ts";
import {
  type SessionRequest,
  type SessionResponse,
  type SessionSummary,
  type SessionsRequest,
  type SessionsResponse,
  sessionSummary,
} from "./operation.ts";
import { renderTurn } from "./read-turns.ts";
import { readSessionLog } from "./session-log.ts";
import { isRunning } from "./session-words.ts";
import { showRow } from "./show-row.ts";

/** Default number of entries in a list. */
const defaultLimits = { sessions: 20, annotations: 10 } as const;

/** Valid agents: those that Pommel supports, and those in the memory. */
function listAgentNames(memory: Memory): string[] {
  return [...new Set([...agentNames, ...listSessionAgents(memory)])];
}

/**
 * The agent to limit an answer to, or null for all.
 * @throws PommelError `usage` for an unknown name
 */
export function resolveAgent(memory: Memory, name: string | undefined): string | null {
  if (name === undefined) return null;
  const known = listAgentNames(memory);
  if (known.includes(name)) return name;
  throw new PommelError("usage", `Unknown agent: ${name}.`, `Choose from: ${known.join(", ")}.`);
}

/**
 * Sessions by their latest line, without those that have nothing stored.
 * @throws PommelError `usage` for an invalid time or agent
 */
export async function listStoredSessions(
  memory: Memory,
  request: SessionsRequest,
): Promise<SessionsResponse> {
  const [since, until] = await parseTimes(request);
  return memory.readInSnapshot(() => {
    const found = listSessions(memory, {
      since,
      until,
      branch: request.branch ?? null,
      agent: resolveAgent(memory, request.agent),
      author: request.author ?? null,
      shared: readSharedFilter(request),
      topic: request.topic ?? null,
      remembered: true,
      ...(request.agents && { children: true as const }),
    });
    const page = found.slice(0, request.limit ?? defaultLimits.sessions);
    const topics = readTopicsOfSessions(
      memory,
      found.map(({ id }) => id),
    );
    return {
      sessions: summarise(memory, page),
      total: found.length,
      topics: countFacet([...topics.values()].flat()),
      authors: countFacet(found.map(({ author }) => author ?? "")),
    };
  });
}

/** Whose sessions a request is about. true: colleagues'; false: one's own; null: everybody's. */
export const readSharedFilter = ({ team, mine }: Pick<SessionsRequest, "team" | "mine">): boolean | null =>
  team ? true : mine ? false : null;

/** Values of a facet that are given. */
const facetSize = 12;

/** The most common values, each with how often it is there; values that differ in letter case only are one. */
export function countFacet(values: readonly string[]): { value: string; sessions: number }[] {
  const counts = new Map<string, { value: string; sessions: number }>();
  for (const value of values)
    getOrCreate(counts, value.toLowerCase(), () => ({ value, sessions: 0 })).sessions++;
  return [...counts.values()]
    .sort((a, b) => b.sessions - a.sessions || (a.value < b.value ? -1 : 1))
    .slice(0, facetSize);
}

/**
 * A session with its turns, in outline, and one of them in full if requested.
 * @param root of the project, to which the paths in the log are relative
 * @throws PommelError `not_found` for an unknown session or turn, `usage` for an ambiguous id
 */
export function showSession(memory: Memory, request: SessionRequest, root = ""): SessionResponse {
  return memory.readInSnapshot(() => {
    const record = findSession(memory, request.id);
    const summary = findBestSummaries(memory, [record.id]).get(record.id);
    const commands = countCommandsByTurn(listCommands(memory, { sessionId: record.id }));
    return {
      session: summarise(memory, [record])[0]!,
      brief: buildBrief(memory, record),
      summary: summary
        ? { source: summary.source, model: summary.model, up_to_turn: summary.upToTurn, text: summary.text }
        : null,
      turns: listTurns(memory, record.id).map(({ startedAt, endedAt, number, prompt, ...turn }) => ({
        number,
        prompt,
        started_at: formatIsoTime(startedAt),
        ended_at: formatIsoTime(endedAt),
        branch: turn.branch,
        abandoned: turn.abandoned,
        state: turn.state ?? detectTurnState(unpackContent(findTurnContent(memory, record.id, number)!)),
        tools: turn.tools,
        commands: commands.get(number) ?? { ran: 0, failed: 0, fixed: 0 },
        files: turn.files,
      })),
      files: listFilesOfSession(memory, record.id),
      annotations: listAnnotations(memory, { sessionUid: record.uid }).reverse().map(toAnnotation),
      agents: listSessions(memory, { children: record.id })
        .map(({ uid }) => uid)
        .reverse(),
      resume: buildResumeCommand(record),
      content: request.turn === undefined ? null : readTurnContent(memory, record, request.turn),
      ...(request.log && {
        log: readSessionLog(memory, record, { root, turn: request.turn, full: request.log === "full" }),
      }),
    };
  });
}

/** How many commands each turn ran, how many of them failed, and how many of these worked later in the session. */
function countCommandsByTurn(latestFirst: readonly CommandRecord[]) {
  const turns = new Map<number, SessionResponse["turns"][number]["commands"]>();
  const worked = new Set<string>();
  for (const { turn, name, directory, outcome } of latestFirst) {
    const sum = getOrCreate(turns, turn, () => ({ ran: 0, failed: 0, fixed: 0 }));
    const key = JSON.stringify([name, directory]);
    sum.ran++;
    if (outcome === "worked") worked.add(key);
    if (outcome !== "failed") continue;
    sum.failed++;
    if (worked.has(key)) sum.fixed++;
  }
  return turns;
}

/** A subagent's session is not one to go on with. No id has anything in it that a shell would read otherwise. */
export function buildResumeCommand({ agent, uid, parentId }: SessionRecord): string | null {
  return parentId === null ? (resumeProgram(agent, uid)?.join(" ") ?? null) : null;
}

function readTurnContent(memory: Memory, session: SessionRecord, number: number): string {
  const content = findTurnContent(memory, session.id, number);
  if (content !== null) return renderTurn(unpackContent<Turn["lines"][number]>(content));
  const numbers = listTurns(memory, session.id).map((turn) => turn.number);
  throw new PommelError(
    "not_found",
    `The session ${session.uid} has no turn ${number}.`,
    numbers.length === 0
      ? "It has no stored turns."
      : `Its turns are numbered ${numbers[0]} to ${numbers.at(-1)}.`,
  );
}

/**
 * Notes, the latest first.
 * @throws PommelError `usage` for a time that makes no sense, `not_found` for an unknown session
 */
export async function listStoredNotes(
  memory: Memory,
  request: AnnotationsRequest,
): Promise<AnnotationsResponse> {
  const [since, until] = await parseTimes(request);
  const sessionUid = request.session === undefined ? null : findSession(memory, request.session).uid;
  const found = listAnnotations(memory, { since, until, sessionUid, search: request.search ?? null });
  const page = found.slice(0, request.limit ?? defaultLimits.annotations);
  return { annotations: page.map(toAnnotation), total: found.length };
}

async function parseTimes(request: { since?: string | undefined; until?: string | undefined }) {
  const { parseWhen } = await import("../../base/text/dates.ts");
  return [
    request.since === undefined ? null : await parseWhen(request.since, "since"),
    request.until === undefined ? null : await parseWhen(request.until, "until"),
  ] as const;
}

function summarise(memory: Memory, sessions: readonly SessionRecord[]): SessionSummary[] {
  const ids = sessions.map(({ id }) => id);
  const counts = readSessionCounts(memory, ids);
  const related = sessions.flatMap(({ parentId, forkedFrom }) => [parentId ?? [], forkedFrom ?? []].flat());
  const others = readSessionsByIds(memory, related);
  const lastTurns = findLastTurns(memory, ids);
  const topics = readTopicsOfSessions(memory, ids);
  const { shape } = sessionSummary();
  const findUid = (id: number) => others.get(id)?.uid ?? null;
  return sessions.map((session) => {
    const usage = sumSessionUsage(memory, session.id);
    const { turns = 0, chunks = 0, decisions = 0, children = 0 } = counts.get(session.id) ?? {};
    return {
      ...showRow<typeof sessionRows, SessionSummary>(sessionRows, session, { shape, uidOf: findUid }),
      id: session.uid,
      topics: topics.get(session.id) ?? [],
      turns,
      chunks,
      annotations: listAnnotations(memory, { sessionUid: session.uid }).length,
      decisions,
      agents: children,
      models: usage.map(({ model }) => model),
      tokens: sumTokens(usage),
      ...(lastTurns.get(session.id)?.state != null && { last_state: lastTurns.get(session.id)!.state! }),
      doing: describeDoing(memory, session, lastTurns.get(session.id)?.number),
    };
  });
}

/** What the agent of a session at work said or did last, in a line. */
function describeDoing(memory: Memory, session: SessionRecord, turn: number | undefined): string | null {
  const facts = { ended_at: formatIsoTime(session.endedAt), last_at: formatIsoTime(session.lastAt) };
  if (turn === undefined || !isRunning(facts)) return null;
  const last = readSessionLog(memory, session, { root: session.cwd, turn, full: false }).at(-1);
  return last === undefined ? null : shortenText(last.text.replace(/\s+/g, " "), longestDoing);
}

const longestDoing = 200;

/** Of fewer messages any may be brief. */
const fewMessages = 8;

/**
 * Whether what messages wrote was recorded: some clients note it when a message begins, as a few tokens, and never again.
 * A quarter of brief messages is more than agents write.
 */
const isRecorded = (messages: number, brief: number): boolean =>
  messages < fewMessages || brief * 4 <= messages;

/** What messages cost, of all models together. */
export function sumTokens(usage: readonly UsageSum[]): SessionSummary["tokens"] {
  const sum = (of: (part: UsageSum) => number) => usage.reduce((total, part) => total + of(part), 0);
  return {
    input: sum(({ input }) => input),
    output: isRecorded(
      sum(({ messages }) => messages),
      sum(({ brief }) => brief),
    )
      ? sum(({ output }) => output)
      : null,
    cache_read: sum(({ cacheRead }) => cacheRead),
    cache_write: sum(({ cacheWrite }) => cacheWrite),
  };
}
