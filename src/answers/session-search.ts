import type { Config } from "../base/config/settings.ts";
import type { Project } from "../base/paths.ts";
import { formatIsoTime } from "../base/text/iso-time.ts";
import { parsePeriod } from "../base/text/parse-period.ts";
import type { QueryEmbedder } from "../code/search/vectors/query-embedder.ts";
import type { TranscriptSearchResponse } from "../protocol/results.ts";
import type { TranscriptSearchRequest } from "../protocol/search-sessions.ts";
import { chooseResultUnit } from "../protocol/search-sessions.ts";
import type { SessionSearch } from "../sessions/search/engine.ts";
import type { SessionQuery } from "../sessions/search/types.ts";
import { readSharedFilter, resolveAgent } from "../sessions/session-filters.ts";
import { countTranscriptsRead } from "../store/memory/jobs/job-rows.ts";
import type { Memory } from "../store/memory/memory.ts";
import { listSessions } from "../store/memory/sessions/sessions.ts";
import { findOpenMemory } from "./open.ts";

/**
 * The query of a request, with defaults from the configuration.
 * @throws PommelError `usage` for an invalid time
 */
async function toSessionQuery(
  request: TranscriptSearchRequest,
  config: Config,
  now: Date = new Date(),
): Promise<SessionQuery> {
  return {
    query: request.q,
    limit: request.limit ?? config["search.limit"],
    ...(await parsePeriod(request, now)),
    types: (request.type ?? []) as SessionQuery["types"],
    kinds: (request.kind ?? []) as SessionQuery["kinds"],
    files: request.file ?? [],
    session: request.session ?? null,
    branch: request.branch ?? null,
    agent: request.agent ?? null,
    author: request.author ?? null,
    shared: readSharedFilter(request),
    commit: request.commit ?? null,
    event: request.event ?? null,
    mode: request.mode ?? "hybrid",
    place: request.in ?? "chunks",
    match: request.match ?? (request.mode === "regex" ? "regex" : undefined),
    by: chooseResultUnit(request),
    explain: request.explain ?? false,
  };
}

/**
 * Answers a search of sessions.
 * @param pending transcripts not fully imported; null if unknown, because no daemon runs
 * @throws PommelError `usage` for an invalid query, `not_found` for an unknown session
 */
async function answerTranscriptSearch(
  search: SessionSearch,
  memory: Memory,
  request: TranscriptSearchRequest,
  config: Config,
  pending: number | null,
  signal?: AbortSignal,
): Promise<TranscriptSearchResponse> {
  resolveAgent(memory, request.agent);
  const answer = await search.search(await toSessionQuery(request, config), signal);
  const [latest] = listSessions(memory, { children: true, limit: 1 });
  const { read, total } = countTranscriptsRead(memory);
  return {
    scope: "transcripts",
    ...answer,
    verdict: read < total && answer.verdict === "probably_not_here" ? "not_yet" : answer.verdict,
    coverage: read < total ? { of: "transcripts", done: read, total } : undefined,
    memory: { pending, as_of: formatIsoTime(latest?.lastAt ?? null) },
  };
}

/** The embedder for a search without a daemon: the bundled model, as any other takes longer to load than the answer may take. */
export async function createBundledQueryEmbedder(): Promise<QueryEmbedder> {
  const [{ QueryEmbedder }, { getBundledEmbedder: bundledEmbedder }] = await Promise.all([
    import("../code/search/vectors/query-embedder.ts"),
    import("../models/embed/static/static-embedder.ts"),
  ]);
  return new QueryEmbedder({ first: bundledEmbedder() });
}

/**
 * Opens a search of an open memory, which can be used any number of times.
 * @param mode for all these searches
 */
export async function openMemorySearch(
  project: Project,
  memory: Memory,
  config: Config,
  mode?: TranscriptSearchRequest["mode"],
): Promise<(request: TranscriptSearchRequest, signal?: AbortSignal) => Promise<TranscriptSearchResponse>> {
  const search = await openSessionSearch(project, memory, config, mode);
  const pending = findOpenMemory(project, memory)?.pending() ?? null;
  return (request, signal) => answerTranscriptSearch(search, memory, request, config, pending, signal);
}

/** The searches of memories that the daemon keeps open and that hide something. */
const searches = new WeakMap<Memory, SessionSearch>();

/** The daemon's search, which has vectors and model loaded, if the daemon has this memory open; else a search for one answer. */
export async function openSessionSearch(
  project: Project,
  memory: Memory,
  config: Config,
  mode?: TranscriptSearchRequest["mode"],
): Promise<SessionSearch> {
  const keeper = findOpenMemory(project, memory);
  if (keeper?.memoryIfAny === memory) return keeper.search;
  const known = searches.get(memory);
  if (known) return known;
  const isByMeaning = config["embed.text"] !== "none" && mode !== "fts" && mode !== "regex";
  const [{ searchWithCommits }, embedder] = await Promise.all([
    import("../attribution/search/search-with-commits.ts"),
    isByMeaning ? createBundledQueryEmbedder() : null,
  ]);
  const waitPolicy = { ms: 250, continueLater: false };
  const search = searchWithCommits({ root: project.root, memory, embedder, waitPolicy });
  if (keeper !== null && mode === undefined) searches.set(memory, search);
  return search;
}
