import { existsSync } from "node:fs";
import { loadConfig } from "../../project/config/config.ts";
import type { Config } from "../../project/config/settings.ts";
import { codeOf, explanationOf } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import type {
  SearchAllRequest,
  SearchAllResponse,
  TranscriptSearchRequest,
  TranscriptSearchResponse,
} from "../../protocol/search.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { withMemory } from "../../store/memory/with-memory.ts";
import { answererHere } from "../here.ts";
import { bundledQueryEmbedder } from "./embedder.ts";

/**
 * Answers a search of conversations in this process from what is remembered.
 * @throws PommelError as `withMemory`; `usage` for a question that makes no sense, `not_found` for an unknown session
 */
export async function searchTranscriptsInProcess(
  project: Project,
  request: TranscriptSearchRequest,
): Promise<TranscriptSearchResponse> {
  const { config } = loadConfig(project);
  return withMemory(project, async (memory) => {
    const search = await memorySearch(project, memory, config, request.mode);
    return search(request);
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
): Promise<(request: TranscriptSearchRequest) => Promise<TranscriptSearchResponse>> {
  // A daemon has its vectors and its model at hand.
  const answer = answererHere(project.root);
  if (answer) return (request) => answer("searchTranscripts", request);
  const isByMeaning = config["embed.text"] !== "none" && mode !== "fts" && mode !== "regex";
  const [{ SessionSearch }, { answerTranscriptSearch }, embedder] = await Promise.all([
    import("../../search/sessions/engine.ts"),
    import("../sessions/conversations.ts"),
    isByMeaning ? bundledQueryEmbedder() : null,
  ]);
  const patience = { ms: 250, goesOn: false };
  const search = new SessionSearch({ root: project.root, memory, embedder, patience });
  return (request) => answerTranscriptSearch(search, memory, request, config, null);
}

/**
 * Answers a search of code and of conversations in this process. What cannot be read is left out, and said.
 * @throws PommelError when code cannot be read and no conversations are remembered either; `usage`, `not_found`
 */
export async function searchAllInProcess(
  project: Project,
  request: SearchAllRequest,
): Promise<SearchAllResponse> {
  const { searchInProcess } = await import("./code.ts");
  const code = await attempt(() => searchInProcess(project, request));
  const transcripts = existsSync(project.memoryDb)
    ? await attempt(() => searchTranscriptsInProcess(project, request))
    : null;
  if (code.answer === null && !transcripts?.answer) throw code.error;
  return {
    scope: "all",
    query: request.q,
    code: code.answer,
    transcripts: transcripts?.answer ?? null,
    notes: [code, transcripts].flatMap((side) =>
      side && side.answer === null ? explanationOf(side.error) : [],
    ),
  };
}

type Attempt<T> = { answer: T } | { answer: null; error: unknown };

/** What the asker got wrong is no reason to leave a side out. */
async function attempt<T>(search: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { answer: await search() };
  } catch (error) {
    if (["usage", "not_found"].includes(codeOf(error))) throw error;
    return { answer: null, error };
  }
}
