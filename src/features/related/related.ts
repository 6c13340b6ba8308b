import { escapeGlob } from "../../answers/file-place.ts";
import { answerAbout } from "../../answers/run.ts";
import { openMemorySearch } from "../../answers/session-search.ts";
import type { Config } from "../../base/config/settings.ts";
import { makeFilesMatcher } from "../../base/files/files-matcher.ts";
import { addTo } from "../../base/multimap.ts";
import type { Project } from "../../base/paths.ts";
import { dayMs } from "../../base/text/day.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { findFormerNames } from "../../git/history/file-changes.ts";
import { fileUses } from "../../protocol/values.ts";
import { listEveryTouchedFile } from "../../store/memory/chunks/chunk-filter.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { TurnFile, TurnRecord } from "../../store/memory/memory-records.ts";
import { findSessionByUid, readSessionsByIds } from "../../store/memory/sessions/sessions.ts";
import { findTurn, listTurnsWithFile } from "../../store/memory/sessions/turns.ts";
import { listDecisions } from "../decisions/operation.ts";
import type { RelatedAnswer, RelatedSession } from "./operation.ts";

/** What touching a file counts. */
const strengths = { write: 1, edit: 1, read: 0.3 } as const;

/** Days in which it counts half. */
const halfLife = 30;

/** Weight of a turn that does not match the query. */
const unasked = 0.2;

/** Maximum number of turns per file, the latest first. */
const maxTurns = 500;

/** Renames of so many files are followed, for so long (milliseconds): in a long history, git takes a second for each. */
const maxFollowed = 30;

const followMs = 1500;

const turnsShown = 5;

const decisionsShown = 5;

/**
 * Sessions and turns that touched files, by how much and how recently; with a query also by how much they are about it.
 * Without files those that a search for the query finds.
 * @param files paths as stored, directories or globs; null: none is named
 */
export async function findRelatedSessions(
  project: Project,
  memory: Memory,
  request: { files: readonly string[] | null; query: string; limit: number },
  config: Config,
  now = Date.now(),
): Promise<Omit<RelatedAnswer, "code">> {
  const { query, limit } = request;
  if (request.files === null) return findRelatedByQuery(project, memory, { query, limit }, config);
  const former = await readFormerNames(project, request.files);
  const files = [...request.files, ...[...former.keys()].map(escapeGlob)];
  const isWanted = makeFilesMatcher(files);
  const isNamed = makeFilesMatcher(request.files);
  const wanted = isWanted ? listEveryTouchedFile(memory).filter((path) => isWanted(path)) : [];
  const isTouched = ({ path }: TurnFile, at: number | null) =>
    isNamed?.(path) || (at ?? 0) <= (former.get(path) ?? -1);
  const turns = new Map(
    wanted.flatMap((path) => listTurnsWithFile(memory, path, maxTurns)).map((turn) => [turn.id, turn]),
  );
  const relevance =
    query === "" ? null : await rankTurnsByQuery(project, memory, { query, files: wanted }, config);
  const sessions = readSessionsByIds(memory, [
    ...new Set([...turns.values()].map(({ sessionId }) => sessionId)),
  ]);
  const bySession = new Map<number, { turn: TurnRecord; touched: TurnFile[]; weight: number }[]>();
  for (const turn of turns.values()) {
    const session = sessions.get(turn.sessionId);
    if (!session) continue;
    const touched = turn.files.filter((file) => isTouched(file, turn.startedAt));
    if (touched.length === 0) continue;
    const about =
      relevance === null ? 1 : unasked + (1 - unasked) * (relevance(session.uid, turn.number) ?? 0);
    const weight =
      scoreTouch(touched) * scoreRecency(turn.startedAt, now) * about * (turn.abandoned ? 0.5 : 1);
    addTo(bySession, session.id, { turn, touched, weight });
  }
  const ranked = [...bySession]
    .map(([id, all]) => {
      const best = all.sort((a, b) => b.weight - a.weight);
      // Each further turn counts half as much as the one before.
      const weight = best.reduce((sum, turn, i) => sum + turn.weight * 0.5 ** i, 0);
      return { session: sessions.get(id)!, best, weight };
    })
    .sort((a, b) => b.weight - a.weight || b.session.id - a.session.id);
  const most = ranked[0]?.weight || 1;
  const { decisions } =
    files.length === 0
      ? { decisions: [] }
      : await answerAbout(
          listDecisions,
          { project, memory },
          { q: query, file: [...files], limit: decisionsShown },
        );
  return {
    looked_for: request.files.length,
    files: wanted,
    decisions,
    total: ranked.length,
    sessions: ranked.slice(0, limit).map(({ session, best, weight }): RelatedSession => {
      const times = best.flatMap(({ turn }) => turn.startedAt ?? []);
      return {
        session_id: session.uid,
        session_title: session.title,
        agent: session.agent,
        branch: session.branch,
        last_at: formatIsoTime(times.length === 0 ? null : Math.max(...times)),
        score: share(weight, most),
        files: pickStrongest(best.flatMap(({ touched }) => touched)),
        turns: best.slice(0, turnsShown).map(({ turn, touched, weight: own }) => ({
          turn: turn.number,
          prompt: turn.prompt,
          timestamp: formatIsoTime(turn.startedAt),
          score: share(own, most),
          files: touched,
        })),
      };
    }),
  };
}

/**
 * The paths that the named files had before they were renamed, and until when; a file that took such a path later is
 * another one.
 */
async function readFormerNames(
  { root }: Project,
  patterns: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const paths = [...new Set(patterns.map((pattern) => pattern.replace(/\\(.)/g, "$1")))];
  const found = await findFormerNames(root, paths.slice(0, maxFollowed), AbortSignal.timeout(followMs));
  const until = new Map<string, number>();
  for (const { path, until: end } of [...found.values()].flat())
    until.set(path, Math.max(until.get(path) ?? 0, end ?? Number.POSITIVE_INFINITY));
  return until;
}

/** Sessions that a search finds, each with its turns that match; none where nothing answers the query. */
async function findRelatedByQuery(
  project: Project,
  memory: Memory,
  { query, limit }: { query: string; limit: number },
  config: Config,
): Promise<Omit<RelatedAnswer, "code">> {
  const search = await openMemorySearch(project, memory, config);
  const { results, total_results } = await search({ q: query, mode: "hybrid", limit, by: "session" });
  const sessions = results.flatMap((result): RelatedSession[] => {
    const session = findSessionByUid(memory, result.session_id);
    if (session === null) return [];
    const matching = [result, ...result.other_turns].slice(0, turnsShown).flatMap(({ turn, score }) => {
      const record = findTurn(memory, session.id, turn);
      return record === null ? [] : [{ record, score }];
    });
    return [
      {
        session_id: session.uid,
        session_title: session.title,
        agent: session.agent,
        branch: session.branch,
        last_at: formatIsoTime(session.lastAt),
        score: result.score,
        files: pickStrongest(matching.flatMap(({ record }) => record.files)),
        turns: matching.map(({ record, score }) => ({
          turn: record.number,
          prompt: record.prompt,
          timestamp: formatIsoTime(record.startedAt),
          score,
          files: record.files,
        })),
      },
    ];
  });
  const { decisions } = await answerAbout(
    listDecisions,
    { project, memory },
    { q: query, limit: decisionsShown },
  );
  return { looked_for: 0, files: [], sessions, total: total_results, decisions };
}

const share = (weight: number, most: number) => Math.round((weight / most) * 1e4) / 1e4;

function scoreTouch(touched: readonly TurnFile[]): number {
  // The tenth of many files touched at once is a weaker signal than the first.
  return Math.sqrt(touched.reduce((sum, { how }) => sum + strengths[how] ** 2, 0));
}

function scoreRecency(at: number | null, now: number): number {
  return at === null ? 0.1 : 0.5 ** (Math.max(now - at, 0) / dayMs / halfLife);
}

function pickStrongest(files: readonly TurnFile[]): TurnFile[] {
  const byPath = new Map<string, TurnFile>();
  for (const file of files) {
    const known = byPath.get(file.path);
    if (!known || fileUses.indexOf(file.how) > fileUses.indexOf(known.how)) byPath.set(file.path, file);
  }
  return [...byPath.values()].sort((a, b) => a.path.localeCompare(b.path));
}

/** How much turns are about a query, compared with the one that is most; undefined for those that are not. */
async function rankTurnsByQuery(
  project: Project,
  memory: Memory,
  { query, files }: { query: string; files: readonly string[] },
  config: Config,
): Promise<(session: string, turn: number) => number | undefined> {
  const found = new Map<string, number>();
  if (files.length === 0) return () => undefined;
  const request = {
    q: query,
    mode: "hybrid" as const,
    limit: 200,
    file: files.map(escapeGlob),
    type: ["raw" as const],
  };
  const search = await openMemorySearch(project, memory, config);
  const { results } = await search(request);
  const most = results[0]?.score || 1;
  for (const { session_id, turn, last_turn, score } of results) {
    for (let number = turn; number <= last_turn; number++) {
      const key = `${session_id} ${number}`;
      found.set(key, Math.max(found.get(key) ?? 0, score / most));
    }
  }
  return (session, turn) => found.get(`${session} ${turn}`);
}
