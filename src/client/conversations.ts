import type { Config } from "../project/settings.ts";
import type { SessionQuery } from "../search/sessions/types.ts";
import type { TranscriptSearchRequest } from "./protocol-sessions.ts";

/**
 * What the routes about conversations answer, from an open memory: the daemon and the in-process read path both ask
 * here.
 */

/**
 * The question that a request asks, with the configuration's answers where it says nothing.
 * @throws PommelError `usage` for a time that makes no sense
 */
export async function toSessionQuery(
  request: TranscriptSearchRequest,
  config: Config,
  now: Date = new Date(),
): Promise<SessionQuery> {
  const { parseWhen } = await import("../search/sessions/when.ts");
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
    mode: request.mode ?? "hybrid",
    explain: request.explain ?? false,
  };
}
