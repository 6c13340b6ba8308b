import { expandPackageToFiles } from "../../answers/about-package.ts";
import { findOpenMemory, loadCurrentConfig, withMemory } from "../../answers/open.ts";
import type { Config } from "../../base/config/settings.ts";
import { explainError, getErrorCode } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { chooseBestVerdict } from "../../protocol/reading/evidence.ts";
import type { TranscriptSearchResponse } from "../../protocol/results.ts";
import { historyKinds } from "../../protocol/values.ts";
import type { SessionSearch } from "../../sessions/search/engine.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { searchCode } from "./code.ts";
import { createBundledQueryEmbedder } from "./embedder.ts";
import type {
  HistorySearchRequest,
  HistorySearchResponse,
  SearchAllRequest,
  SearchAllResponse,
  TranscriptSearchRequest,
} from "./operation.ts";

/**
 * Answers a search of sessions.
 * @throws PommelError as `withMemory`; `usage` for an invalid query, `not_found` for an unknown session
 */
export async function searchTranscripts(
  project: Project,
  request: TranscriptSearchRequest,
  signal?: AbortSignal,
): Promise<TranscriptSearchResponse> {
  const config = loadCurrentConfig(project);
  const mode = request.in === "content" ? "regex" : (request.mode ?? "hybrid");
  return withMemory(project, async (memory) => {
    const search = await openMemorySearch(project, memory, config, mode);
    return search(await expandPackageToFiles(project, request), signal);
  });
}

/**
 * Searches a memory that is open, as often as one likes.
 * @param mode of all the searches
 */
export async function openMemorySearch(
  project: Project,
  memory: Memory,
  config: Config,
  mode?: TranscriptSearchRequest["mode"],
): Promise<(request: TranscriptSearchRequest, signal?: AbortSignal) => Promise<TranscriptSearchResponse>> {
  const [search, { answerTranscriptSearch }] = await Promise.all([
    openSessionSearch(project, memory, config, mode),
    import("../sessions/sessions.ts"),
  ]);
  const pending = findOpenMemory(project, memory)?.pending() ?? null;
  return (request, signal) => answerTranscriptSearch(search, memory, request, config, pending, signal);
}

/** Of a daemon's memories that hide something, which stay open. */
const searches = new WeakMap<Memory, SessionSearch>();

/** A daemon's, which has its vectors and its model at hand, where it has this memory open; else one for this answer. */
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
    import("../../attribution/search/search-with-commits.ts"),
    isByMeaning ? createBundledQueryEmbedder() : null,
  ]);
  const waitPolicy = { ms: 250, continueLater: false };
  const search = searchWithCommits({ root: project.root, memory, embedder, waitPolicy });
  if (keeper !== null && mode === undefined) searches.set(memory, search);
  return search;
}

/** Commits and events that are shown beside code and sessions, where the request does not say. */
const ofHistory = 5;

/**
 * Searches code, sessions, commits and events, or those that the request is limited to. What cannot be searched is left
 * out with a note; a memory that does not exist yet needs no note, nor does a history that lies in the same index as the
 * code.
 * @throws PommelError the first error, if nothing can be searched; `usage`, `not_found`
 */
export async function searchAll(
  project: Project,
  request: SearchAllRequest,
  signal?: AbortSignal,
): Promise<SearchAllResponse> {
  const { only = ["code", "sessions", "commits", "events"] } = request;
  const of = historyKinds.filter((kind) => only.includes(kind));
  const ofSessions = only.includes("sessions") || only.includes("notes");
  const sessionRequest = only.includes("sessions") ? request : limitToNotes(request);
  const sessions = ofSessions ? searchTranscripts(project, sessionRequest, signal) : null;
  const known = only.includes("sessions") && sessions ? () => sessions.catch(() => null) : undefined;
  const searched = await Promise.allSettled([
    only.includes("code") ? searchCode(project, request, signal) : null,
    sessions,
    of.length > 0 ? searchProjectHistory(project, { ...request, of }, signal, known) : null,
  ]);
  const [code, transcripts, history] = searched;
  const failed = searched.flatMap((side) => (side.status === "rejected" ? [side.reason] : []));
  // An invalid request is an error, not a reason to leave a side out.
  const wrong = failed.find((error) => ["usage", "not_found"].includes(getErrorCode(error)));
  const isNothing = searched.every((side) => side.status === "rejected" || side.value === null);
  if (wrong !== undefined || (isNothing && failed.length > 0)) throw wrong ?? failed[0];
  const reported = code.status === "fulfilled" ? (code.value?.notes ?? []) : [];
  const reasons = failed
    .filter((error) => getErrorCode(error) !== "no_memory")
    .map(explainError)
    .filter((reason) => !reported.some((note) => note.startsWith(reason)));
  const sides = {
    code: code.status === "fulfilled" ? code.value : null,
    transcripts: transcripts.status === "fulfilled" ? transcripts.value : null,
    history: history.status === "fulfilled" ? history.value : null,
  };
  return {
    scope: "all",
    query: request.q,
    verdict: chooseBestVerdict(Object.values(sides)),
    ...sides,
    notes: [...new Set(reasons)],
  };
}

/** What people noted, each note by itself. */
const limitToNotes = <R extends TranscriptSearchRequest>(request: R): R => ({
  ...request,
  type: ["annotated"],
  by: request.by ?? "turn",
});

async function searchProjectHistory(
  project: Project,
  request: HistorySearchRequest,
  signal: AbortSignal | undefined,
  sessions: (() => Promise<TranscriptSearchResponse | null>) | undefined,
): Promise<HistorySearchResponse> {
  const { searchHistory } = await import("./history.ts");
  return searchHistory(project, { ...request, limit: request.limit ?? ofHistory }, signal, sessions);
}
