import { performance } from "node:perf_hooks";
import { expandPackageToFiles } from "../../answers/about-package.ts";
import { openIndex, withIndex, withMemoryIfAny } from "../../answers/open.ts";
import { searchEvents } from "../../attribution/search/events.ts";
import type { RankedRecord, RecordNearness } from "../../attribution/search/rank.ts";
import { loadConfig } from "../../base/config/config.ts";
import type { Config } from "../../base/config/settings.ts";
import { explainError, getErrorCode, PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { parsePeriod } from "../../base/text/parse-period.ts";
import { judgeVerbatimResults } from "../../code/search/confidence/judge.ts";
import { findHeldWords, formatMentions } from "../../code/search/mentioned.ts";
import { analyseQuery } from "../../code/search/query.ts";
import { cosineSimilarity } from "../../code/search/vectors/cosine.ts";
import { countCommits, findHistoryProblem } from "../../git/history/history.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { chooseBestVerdict, computeLikelihood } from "../../protocol/reading/evidence.ts";
import type { CommitFound, EventFound, TranscriptSearchResponse } from "../../protocol/results.ts";
import { cutSnippetAroundQuery } from "../../sessions/search/snippet.ts";
import {
  findCheckpointByUid,
  listCheckpointPlaces,
  listCheckpoints,
} from "../../store/memory/commits/checkpoints.ts";
import { findEvent, findEventMembers } from "../../store/memory/events.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { CheckpointRecord, EventRecord } from "../../store/memory/memory-records.ts";
import { findSession } from "../../store/memory/sessions/sessions.ts";
import { searchTranscripts } from "./all.ts";
import {
  type CommitQuery,
  findBranchTip,
  findCommitElsewhere,
  findCommits,
  findCommitsOfSessions,
  type Likely,
  maxSessions,
  pickScore,
} from "./history-commits.ts";
import type { HistoryResult, HistorySearchRequest, HistorySearchResponse } from "./operation.ts";

/**
 * Searches commits and events. Commits are found by their message, author, files and hash, and those that sessions led
 * to also by what happened there.
 * @param sessions what a search of sessions found; default: they are searched
 * @throws PommelError `usage` for a time that makes no sense, `not_found` for an unknown session or event; as `withIndex`
 */
export async function searchHistory(
  project: Project,
  asked: HistorySearchRequest,
  signal?: AbortSignal,
  sessions: () => Promise<TranscriptSearchResponse | null> = () => findSessions(project, asked),
): Promise<HistorySearchResponse> {
  const start = performance.now();
  const request = await expandPackageToFiles(project, asked);
  if (analyseQuery(request.q).tokens.length === 0) {
    throw new PommelError(
      "usage",
      "The query has no searchable word.",
      'Try `pm search commits "retry of requests"`.',
    );
  }
  const { config } = loadConfig(project);
  return withMemoryIfAny(project, async (memory) => {
    const wanted: CommitQuery = {
      request,
      limit: request.limit ?? config["search.limit"],
      ...(await parsePeriod(request)),
      hashes: listWantedHashes(memory, request),
      nearness: config["embed.text"] === "none" ? null : await makeBundledNearness(),
      tip: await findBranchTip(project, request.q),
    };
    const { of = ["commits", "events"] } = request;
    const ofCommits = of.includes("commits") || of.includes("checkpoints");
    const found = ofCommits
      ? await searchIndexedCommits(project, config, memory, wanted)
      : { ...noResults, commits: { indexed: 0, is_complete: true } };
    signal?.throwIfAborted();
    const named = ofCommits ? await findCommitElsewhere(project, memory, wanted, found.results) : [];
    const led = ofCommits && memory !== null ? findCommitsOfSessions(memory, await sessions(), wanted) : [];
    const events = of.includes("events") && memory !== null ? await findEvents(memory, wanted) : noResults;
    const isNamed = named.length > 0 || found.is_named === true;
    const likely = [
      ...mergeCommits([...named.map((result) => ({ result, likely: 1 })), ...rateResults(found)], led),
      ...rateResults(events),
    ].sort((a, b) => b.likely - a.likely || b.result.score - a.result.score);
    const probability = Math.round((likely[0]?.likely ?? 0) * 100) / 100;
    // That a session led to a commit does not make it the one that was asked for.
    const ofSessions = led.length > 0 ? { verdict: "maybe" as const } : null;
    // Without a repository, or a commit, there is nothing to index.
    const problem = found.commits.is_complete ? null : await findHistoryProblem(project.root, signal);
    const isBehind = !found.commits.is_complete && problem === null;
    const verdict = isNamed ? "found" : isBehind ? "not_yet" : chooseBestVerdict([found, events, ofSessions]);
    const { indexed } = found.commits;
    const total = isBehind ? Math.max(indexed, await countCommits(project.root, signal)) : indexed;
    return {
      scope: "history",
      query: request.q,
      verdict,
      coverage: isBehind ? { of: "commits", done: indexed, total } : undefined,
      probability,
      ...(isNamed && { is_named: true }),
      total_results: likely.length,
      results: likely.slice(0, wanted.limit).map(({ result }) => result),
      searched_by: ["words", ...(wanted.nearness === null ? [] : ["meaning"])],
      notes:
        isBehind && openIndex(project) === null
          ? ["The others are read as soon as a daemon runs."]
          : problem?.isBroken
            ? [explainError(problem)]
            : [],
      search_time_ms: Math.round((performance.now() - start) * 100) / 100,
      commits: { ...found.commits, is_complete: !isBehind },
    };
  });
}

/** Without an index none is read yet. */
async function searchIndexedCommits(
  project: Project,
  config: Config,
  memory: Memory | null,
  wanted: CommitQuery,
) {
  try {
    return await withIndex(project, config, (index) => findCommits(index, memory, wanted));
  } catch (error) {
    if (getErrorCode(error) !== "not_indexed") throw error;
    return { ...noResults, commits: { indexed: 0, is_complete: false } };
  }
}

function rateResults<R extends HistoryResult>(found: { probability: number; results: R[] }): Likely<R>[] {
  return found.results.map((result, i) => ({ result, likely: computeLikelihood(found, i + 1) }));
}

/** The sessions that a question finds; null where there is no memory. */
async function findSessions(
  project: Project,
  { q, since, until, file, session, event, package: of }: HistorySearchRequest,
): Promise<TranscriptSearchResponse | null> {
  const filters = { ...(since && { since }), ...(until && { until }), ...(file && { file }) };
  const within = { ...(session && { session }), ...(event && { event }), ...(of && { package: of }) };
  try {
    return await searchTranscripts(project, {
      q,
      mode: "hybrid",
      limit: maxSessions,
      ...filters,
      ...within,
    });
  } catch (error) {
    if (getErrorCode(error) === "no_memory") return null;
    throw error;
  }
}

/** The commits that the request is limited to. */
function listWantedHashes(
  memory: Memory | null,
  { of = ["commits"], session, event }: HistorySearchRequest,
): Set<string> | null {
  const isOfCheckpoints = of.includes("checkpoints") && !of.includes("commits");
  if (session === undefined && event === undefined && !isOfCheckpoints) return null;
  if (memory === null) return new Set();
  const given = [
    ...(isOfCheckpoints ? [listCheckpointPlaces(memory).map(({ hash }) => hash)] : []),
    ...(session === undefined
      ? []
      : [listCheckpoints(memory, { session: findSession(memory, session).uid }).map(getCommitHash)]),
    ...(event === undefined
      ? []
      : [
          findEventMembers(memory, findEvent(memory, event).uid).checkpoints.flatMap((uid) => {
            const checkpoint = findCheckpointByUid(memory, uid);
            return checkpoint === null ? [] : getCommitHash(checkpoint);
          }),
        ]),
  ].map((hashes) => new Set(hashes));
  const [first = new Set<string>(), ...others] = given;
  return new Set([...first].filter((hash) => others.every((hashes) => hashes.has(hash))));
}

const getCommitHash = ({ commit }: CheckpointRecord) => commit.hash;

async function makeBundledNearness(): Promise<RecordNearness> {
  const { getBundledEmbedder } = await import("../../models/embed/static/static-embedder.ts");
  return makeNearness(getBundledEmbedder());
}

function makeNearness(embedder: Embedder): RecordNearness {
  return async (question, texts) => {
    // A model that fails leaves search by words.
    const vectors = await embedder.embed([question, ...texts], "query").catch(() => []);
    const [asked, ...of] = vectors;
    return asked ? of.map((vector) => (vector ? cosineSimilarity(asked, vector) : null)) : null;
  };
}

/** A commit is one result, however it was found: what speaks for it twice makes it surer. */
function mergeCommits(
  found: readonly Likely<CommitFound>[],
  led: readonly Likely<CommitFound>[],
): Likely<HistoryResult>[] {
  const byId = new Map(found.map((one) => [one.result.id, one]));
  for (const one of led) {
    const known = byId.get(one.result.id);
    if (known === undefined) {
      byId.set(one.result.id, one);
      continue;
    }
    const match_reasons = [...new Set([...known.result.match_reasons, ...one.result.match_reasons])];
    byId.set(one.result.id, {
      result: { ...known.result, match_reasons },
      likely: 1 - (1 - known.likely) * (1 - one.likely),
    });
  }
  return [...byId.values()];
}

/** Where only commits are asked for. */
const noResults = { ...judgeVerbatimResults([]), results: [] as never[] };

/** Events as a search of the history answers them. */
async function findEvents(memory: Memory, { request, since, until, nearness, limit }: CommitQuery) {
  const { q, file, author, session, event } = request;
  // Only commits have those.
  if (file !== undefined || author !== undefined || session !== undefined) return noResults;
  const only = event === undefined ? null : findEvent(memory, event).uid;
  const isWanted = ({ uid, updatedAt, startsAt, createdAt }: EventRecord) =>
    (only === null || uid === only) &&
    (since === null || updatedAt >= since) &&
    (until === null || (startsAt ?? createdAt) <= until);
  const judged = await searchEvents(memory, q, isWanted, nearness);
  const toEventFound = (found: RankedRecord<EventRecord>): EventFound => {
    const { uid, title, description, type, status, branch, updatedAt } = found.item;
    const { sessions, checkpoints } = findEventMembers(memory, uid);
    const held = findHeldWords(analyseQuery(q).words, `${title} ${description} ${branch ?? ""}`);
    return {
      kind: "event",
      id: uid,
      title,
      timestamp: formatIsoTime(updatedAt),
      snippet: cutSnippetAroundQuery(description, q),
      ...pickScore(found, request),
      match_reasons: [formatMentions(held) ?? "similar in meaning"],
      type,
      status,
      branch,
      sessions: sessions.length,
      checkpoints: checkpoints.length,
    };
  };
  return { ...judged, results: judged.results.slice(0, limit).map(toEventFound) };
}
