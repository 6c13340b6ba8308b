import type { Config } from "../../base/config/settings.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import type { TranscriptSearchResponse } from "../../protocol/results.ts";
import type { SessionSearch } from "../../sessions/search/engine.ts";
import type { SessionQuery } from "../../sessions/search/types.ts";
import { countTranscriptsRead } from "../../store/memory/jobs/job-rows.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { listSessions } from "../../store/memory/sessions/sessions.ts";
import { chooseResultUnit, type TranscriptSearchRequest } from "../search/operation.ts";
import { readSharedFilter, resolveAgent } from "./describe-session.ts";

/** Answers the routes about sessions from an open memory, for the daemon and for reads in this process. */

export { describeMemory, readJobsStatus } from "../status/describe-memory.ts";
export {
  listStoredNotes,
  listStoredSessions,
  showSession,
} from "./describe-session.ts";

/**
 * The query of a request, with defaults from the configuration.
 * @throws PommelError `usage` for an invalid time
 */
export async function toSessionQuery(
  request: TranscriptSearchRequest,
  config: Config,
  now: Date = new Date(),
): Promise<SessionQuery> {
  const { parseWhen } = await import("../../base/text/dates.ts");
  return {
    query: request.q,
    limit: request.limit ?? config["search.limit"],
    since: request.since === undefined ? null : await parseWhen(request.since, "since", now),
    until: request.until === undefined ? null : await parseWhen(request.until, "until", now),
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
export async function answerTranscriptSearch(
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
