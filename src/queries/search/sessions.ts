import { loadConfig } from "../../project/config/config.ts";
import type { Config } from "../../project/config/settings.ts";
import type { Project } from "../../project/paths.ts";
import type { TranscriptSearchRequest, TranscriptSearchResponse } from "../../protocol/operations/search.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { withMemory } from "../../store/memory/with-memory.ts";
import { answererHere } from "../here.ts";
import { bundledQueryEmbedder } from "./embedder.ts";
import { aboutPackage } from "./packages.ts";

/**
 * Answers a search of sessions in this process from the stored memory.
 * @throws PommelError as `withMemory`; `usage` for an invalid query, `not_found` for an unknown session
 */
export async function searchTranscriptsInProcess(
  project: Project,
  request: TranscriptSearchRequest,
  signal?: AbortSignal,
): Promise<TranscriptSearchResponse> {
  const { config } = loadConfig(project);
  return withMemory(project, async (memory) => {
    const search = await memorySearch(
      project,
      memory,
      config,
      request.in === "content" ? "regex" : (request.mode ?? config["search.mode"]),
    );
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
  // A daemon has its vectors and its model at hand.
  const answer = answererHere();
  if (answer) return (request, signal) => answer(project.root, "searchTranscripts", request, signal);
  const isByMeaning = config["embed.text"] !== "none" && mode !== "fts" && mode !== "regex";
  const [{ SessionSearch }, { answerTranscriptSearch }, embedder] = await Promise.all([
    import("../../search/sessions/engine.ts"),
    import("../sessions/conversations.ts"),
    isByMeaning ? bundledQueryEmbedder() : null,
  ]);
  const waitPolicy = { ms: 250, continueLater: false };
  const search = new SessionSearch({ root: project.root, memory, embedder, waitPolicy });
  return (request, signal) => answerTranscriptSearch(search, memory, request, config, null, signal);
}
