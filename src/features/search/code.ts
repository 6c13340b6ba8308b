import { parsePlace } from "../../answers/file-place.ts";
import { loadCurrentConfig, openIndex, withIndex } from "../../answers/open.ts";
import { createBundledQueryEmbedder } from "../../answers/session-search.ts";
import type { Config } from "../../base/config/settings.ts";
import { explainError, getErrorCode } from "../../base/errors.ts";
import { toLevel } from "../../base/levels.ts";
import type { Project } from "../../base/paths.ts";
import { readIndexAge } from "../../code/index/index-age.ts";
import { parseLanguageIds } from "../../code/languages/index.ts";
import type { CodeQuery } from "../../code/search/types.ts";
import { findIndexObstacle } from "../../git/projects/indexed.ts";
import type { IndexAge, SearchResponse } from "../../protocol/results.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import type { SearchRequest } from "./operation.ts";

/**
 * The query of a request, with defaults from the configuration.
 * @throws PommelError `usage` for an unknown language
 */
export function toCodeQuery(request: SearchRequest, config: Config): CodeQuery {
  return {
    query: request.q,
    limit: request.limit ?? config["search.limit"],
    levels: [...new Set((request.level ?? []).map(toLevel))],
    paths: (request.path ?? []).flatMap(toGlobs),
    languages: parseLanguageIds(request.language ?? []),
    package: request.package,
    near: request.near,
    place: placeIn(request.q),
    ...(request.match && { match: request.match }),
    by: request.by === "chunk" ? "chunk" : "file",
    graph: request.graph,
    graphOfFirst: request.graph_of_first,
    explain: request.explain ?? false,
  };
}

/** The lines that a query is, and nothing else: "src/retry.ts:12", as compilers and web pages write it. */
function placeIn(query: string): CodeQuery["place"] {
  const text = query.trim();
  if (/\s/.test(text) || !/\w[:#]L?[1-9]/.test(text)) return undefined;
  const { file, lines } = parsePlace(text);
  return lines === null ? undefined : { file: file.replace(/^(?:\.\/)+/, ""), ...lines };
}

/** A path matches itself and, if it is a directory, everything below. */
function toGlobs(path: string): string[] {
  const plain = path.replace(/^(\.\/)+/, "").replace(/\/+$/, "");
  return plain === "" || plain === "." ? ["**"] : [plain, `${plain}/**`];
}

/**
 * Answers a search from what the index holds; while that is not complete, or cannot be reached, from the files on disk as well.
 * @throws PommelError `index_corrupt`, `index_too_new`, `unreadable`, `usage`
 */
export async function searchCode(
  project: Project,
  request: SearchRequest,
  signal?: AbortSignal,
): Promise<SearchResponse> {
  const config = loadCurrentConfig(project);
  const query = toCodeQuery(request, config);
  try {
    return await searchIndex(project, config, query, signal);
  } catch (error) {
    const code = getErrorCode(error);
    if (code !== "not_indexed" && code !== "index_unavailable") throw error;
    const age: IndexAge = { pending: null, is_complete: false, as_of: null };
    const { answer } = await searchTree(project, config, query, { index: null, age }, signal);
    const plain = findIndexObstacle(project);
    if (code === "not_indexed" && plain === null) return answer;
    // No index is on its way.
    const coverage = answer.coverage && { ...answer.coverage, done: null };
    return { ...answer, coverage, notes: [explainError(plain?.refusal ?? error), ...answer.notes] };
  }
}

async function searchIndex(
  project: Project,
  config: Config,
  query: CodeQuery,
  signal: AbortSignal | undefined,
): Promise<SearchResponse> {
  const open = openIndex(project);
  if (open !== null) {
    const { pending, is_idle } = open.queue();
    // An empty queue between two files does not mean that the pass is over.
    const age = await readIndexAge(open.index, is_idle ? 0 : Math.max(pending, 1));
    if (age.is_complete) return { ...(await open.ask(query)), index: age };
    const { answer, best } = await searchTree(project, config, query, { index: open.index, age }, signal);
    open.prefer(best);
    return answer;
  }
  return withIndex(project, config, async (index) => {
    const age = await readIndexAge(index, null);
    if (!age.is_complete) return (await searchTree(project, config, query, { index, age }, signal)).answer;
    const { CodeSearch } = await import("../../code/search/engine.ts");
    const embedder = config["embed.code"] !== "none" ? await createBundledQueryEmbedder() : null;
    return { ...(await new CodeSearch({ project, index, embedder }).search(query)), index: age };
  });
}

interface Incomplete {
  /** null: there is none, or it cannot be reached. */
  index: CodeIndex | null;
  age: IndexAge;
}

/** @returns `best`: the files that fit the question best, which the index should have first */
async function searchTree(
  project: Project,
  config: Config,
  query: CodeQuery,
  { index, age }: Incomplete,
  signal: AbortSignal | undefined,
): Promise<{ answer: SearchResponse; best: string[] }> {
  const [{ SourceTree }, { JoinedIndex }, { CodeSearch }] = await Promise.all([
    import("../../code/search/tree/tree.ts"),
    import("../../code/search/tree/joined-index.ts"),
    import("../../code/search/engine.ts"),
  ]);
  const embedder = config["embed.code"] !== "none" ? await createBundledQueryEmbedder() : null;
  const start = performance.now();
  return SourceTree.openForProject(project, config).ask(
    query,
    async (tree, { files, read, isCut }) => {
      const searched = index === null ? tree : await JoinedIndex.joinIndexAndTree(index, tree);
      // Who uses a definition is only known of all files together.
      const request = { ...query, graph: false, graphOfFirst: 0 };
      const answer = await new CodeSearch({ project, index: searched, embedder }).search(request);
      const known = (await index?.readKnownFiles()) ?? new Map();
      const done = files.filter(({ path }) => known.has(path)).length;
      const isAll = done === files.length && !isCut;
      return {
        best: await tree.rankBestPaths(),
        answer: {
          ...answer,
          verdict: answer.is_named || isAll ? answer.verdict : ("not_yet" as const),
          coverage: isAll ? undefined : { of: "files" as const, done, total: files.length, files_read: read },
          notes: [...(query.graph ? [graphNote] : []), ...(isCut ? [cutNote] : []), ...answer.notes],
          search_time_ms: Math.round((performance.now() - start) * 100) / 100,
          index: age,
        },
      };
    },
    signal,
  );
}

const cutNote = "There are more files than could be looked at in time.";
const graphNote = "What uses the results, and what they use, is known when all files are indexed.";
