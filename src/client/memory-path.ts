import { existsSync } from "node:fs";
import { loadConfig } from "../project/config.ts";
import { codeOf, explanationOf } from "../project/errors.ts";
import type { Project } from "../project/paths.ts";
import type { Config } from "../project/settings.ts";
import type { PassageSearch } from "../search/sessions/passage-search.ts";
import type { Memory } from "../store/memory/memory.ts";
import { listSessions } from "../store/memory/sessions.ts";
import { askToRead } from "./ask-to-read.ts";
import { askDaemon, DaemonUnreachable, isAnsweredHere, type UnreachableReason } from "./daemon-client.ts";
import type { RouteName } from "./endpoints.ts";
import type { RequestOf, ResponseOf, SearchAllRequest, SearchAllResponse } from "./protocol.ts";
import type { TranscriptSearchRequest, TranscriptSearchResponse } from "./protocol-sessions.ts";
import { withMemory } from "./with-memory.ts";

/** What is read of the memory of conversations in this process, without a daemon. */

/** An answer of the daemon, or of this process where none answers. */
export interface FromMemory<T> {
  answer: T;
  /** Why no daemon answered; null when one did. */
  without: UnreachableReason | null;
  /** Newest line that is remembered, ISO 8601; null when a daemon answered, or nothing is remembered. */
  asOf: string | null;
}

/**
 * Asks the daemon, or reads the memory here.
 * @throws PommelError as `withMemory`, and as the daemon or `read`
 */
export async function askMemory<R extends RouteName>(
  project: Project,
  route: R,
  request: RequestOf<R>,
  read: (memory: Memory) => ResponseOf<R> | Promise<ResponseOf<R>>,
): Promise<FromMemory<ResponseOf<R>>> {
  try {
    return { answer: await askToRead(project, route, request), without: null, asOf: null };
  } catch (error) {
    if (!(error instanceof DaemonUnreachable)) throw error;
    return withMemory(project, async (memory) => {
      const answer = await read(memory);
      const [latest] = listSessions(memory, { children: true, limit: 1 });
      const asOf = latest?.lastAt == null ? null : new Date(latest.lastAt).toISOString();
      return { answer, without: error.reason, asOf };
    });
  }
}

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
  if (isAnsweredHere(project)) return (request) => askDaemon(project, "searchTranscripts", request);
  const isByMeaning = config["embed.text"] !== "none" && mode !== "fts" && mode !== "regex";
  const [{ SessionSearch }, { answerTranscriptSearch }, passages] = await Promise.all([
    import("../search/sessions/engine.ts"),
    import("./conversations.ts"),
    isByMeaning ? passageSearchIn(memory) : null,
  ]);
  const patience = { ms: 250, goesOn: false };
  const search = new SessionSearch({ root: project.root, memory, passages, patience });
  return (request) => answerTranscriptSearch(search, memory, request, config, null);
}

/** Only the bundled model: any other takes longer to load than the answer may take. */
async function passageSearchIn(memory: Memory): Promise<PassageSearch> {
  const [{ PassageSearch }, { passagesIn }, { bundledEmbedder }] = await Promise.all([
    import("../search/sessions/passage-search.ts"),
    import("../search/sessions/passage-source.ts"),
    import("./bundled-embedder.ts"),
  ]);
  return new PassageSearch(passagesIn(memory), bundledEmbedder());
}

/**
 * Answers a search of code and of conversations in this process. What cannot be read is left out, and said.
 * @throws PommelError when code cannot be read and no conversations are remembered either; `usage`, `not_found`
 */
export async function searchAllInProcess(
  project: Project,
  request: SearchAllRequest,
): Promise<SearchAllResponse> {
  const { searchInProcess } = await import("./read-path.ts");
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
