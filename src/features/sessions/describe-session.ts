import { PommelError } from "../../base/errors.ts";
import { getOrCreate } from "../../base/multimap.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { parsePeriod } from "../../base/text/parse-period.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { isRunning } from "../../protocol/reading/running.ts";
import { buildBrief } from "../../sessions/brief/brief.ts";
import { sumTokens } from "../../sessions/cost/prices.ts";
import { countFacet } from "../../sessions/facets.ts";
import { buildResumeCommand } from "../../sessions/resume-command.ts";
import { readSharedFilter, resolveAgent } from "../../sessions/session-filters.ts";
import type { Turn } from "../../sessions/turn-content.ts";
import { detectTurnState } from "../../sessions/turn-state.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import { type CommandRecord, listCommands } from "../../store/memory/commands.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { unpackContent } from "../../store/memory/sessions/content.ts";
import {
  findSession,
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
import { sumSessionUsage } from "../../store/memory/sessions/usage.ts";
import { sessions as sessionRows } from "../../store/tables/sessions.ts";
import { toNote } from "../notes/operation.ts";
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
import { showRow } from "./show-row.ts";

/** Sessions in a list, by default. */
const listedSessions = 20;

/**
 * Sessions by their latest line, without those that have nothing stored.
 * @throws PommelError `usage` for an invalid time or agent
 */
export async function listStoredSessions(
  memory: Memory,
  request: SessionsRequest,
): Promise<SessionsResponse> {
  const { since, until } = await parsePeriod(request);
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
    const page = found.slice(0, request.limit ?? listedSessions);
    const topics = readTopicsOfSessions(
      memory,
      found.map(({ id }) => id),
    );
    return {
      sessions: summariseSessions(memory, page),
      total: found.length,
      topics: countFacet([...topics.values()].flat()),
      authors: countFacet(found.map(({ author }) => author ?? "")),
    };
  });
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
      session: summariseSessions(memory, [record])[0]!,
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
      annotations: listStoredNotes(memory, { sessionUid: record.uid })
        .reverse()
        .map((note) => toNote(note)),
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

function readTurnContent(memory: Memory, session: SessionRecord, number: number): string {
  const content = findTurnContent(memory, session.id, number);
  if (content !== null) return renderTurn(unpackContent<Turn["lines"][number]>(content));
  const numbers = listTurns(memory, session.id).map((turn) => turn.number);
  throw new PommelError(
    "not_found",
    `The session ${session.uid} has no turn ${number}.`,
    numbers.length === 0
      ? "None of its turns are stored."
      : `Its turns are numbered ${numbers[0]} to ${numbers.at(-1)}.`,
  );
}

/** Sessions as lists show them. */
export function summariseSessions(memory: Memory, sessions: readonly SessionRecord[]): SessionSummary[] {
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
      annotations: listStoredNotes(memory, { sessionUid: session.uid }).length,
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
