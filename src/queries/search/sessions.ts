import type { Config } from "../../project/config/settings.ts";
import type { Project } from "../../project/paths.ts";
import type { TranscriptSearchRequest, TranscriptSearchResponse } from "../../protocol/operations/search.ts";
import type { SessionSearch } from "../../search/sessions/engine.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { configOf, keeperOf, withMemory } from "../open.ts";
import { bundledQueryEmbedder } from "./embedder.ts";
import { aboutPackage } from "./packages.ts";

/**
 * Answers a search of sessions.
 * @throws PommelError as `withMemory`; `usage` for an invalid query, `not_found` for an unknown session
 */
export async function searchTranscripts(
  project: Project,
  request: TranscriptSearchRequest,
  signal?: AbortSignal,
): Promise<TranscriptSearchResponse> {
  const config = configOf(project);
  const mode = request.in === "content" ? "regex" : (request.mode ?? "hybrid");
  return withMemory(project, async (memory) => {
    const search = await memorySearch(project, memory, config, mode);
    return search(await aboutPackage(project, request), signal);
  });
}

/**
 * Searches a memory that is open, as often as one likes.
 * @param mode of all the searches
 */
export async function memorySearch(
  project: Project,
  memory: Memory,
  config: Config,
  mode?: TranscriptSearchRequest["mode"],
): Promise<(request: TranscriptSearchRequest, signal?: AbortSignal) => Promise<TranscriptSearchResponse>> {
  const [search, { answerTranscriptSearch }] = await Promise.all([
    sessionSearch(project, memory, config, mode),
    import("../sessions/conversations.ts"),
  ]);
  const pending = keeperOf(project, memory)?.pending() ?? null;
  return (request, signal) => answerTranscriptSearch(search, memory, request, config, pending, signal);
}

/** A daemon's, which has its vectors and its model at hand, where it has this memory open; else one for this answer. */
export async function sessionSearch(
  project: Project,
  memory: Memory,
  config: Config,
  mode?: TranscriptSearchRequest["mode"],
): Promise<SessionSearch> {
  const keeper = keeperOf(project, memory);
  if (keeper !== null) return keeper.search;
  const isByMeaning = config["embed.text"] !== "none" && mode !== "fts" && mode !== "regex";
  const [{ SessionSearch: Search }, embedder] = await Promise.all([
    import("../../search/sessions/engine.ts"),
    isByMeaning ? bundledQueryEmbedder() : null,
  ]);
  const waitPolicy = { ms: 250, continueLater: false };
  return new Search({ root: project.root, memory, embedder, waitPolicy });
}
