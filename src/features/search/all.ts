import { expandPackageToFiles } from "../../answers/about-package.ts";
import { loadCurrentConfig, withMemory } from "../../answers/open.ts";
import { openMemorySearch } from "../../answers/session-search.ts";
import { explainError, getErrorCode } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { chooseBestVerdict } from "../../protocol/reading/evidence.ts";
import type { TranscriptSearchResponse } from "../../protocol/results.ts";
import type { TranscriptSearchRequest } from "../../protocol/search-sessions.ts";
import { historyKinds } from "../../protocol/values.ts";
import { listAsides } from "../asides.ts";
import { searchCode } from "./code.ts";
import type {
  HistorySearchRequest,
  HistorySearchResponse,
  SearchAllRequest,
  SearchAllResponse,
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
    const found = await search(await expandPackageToFiles(project, request), signal);
    const asides = await listAsides(project, memory, { words: request.q });
    return asides.length === 0 ? found : { ...found, notes: [...found.notes, ...asides] };
  });
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
