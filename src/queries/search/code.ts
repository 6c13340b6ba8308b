import { languageIdsOf } from "../../code/languages/by-name.ts";
import { loadConfig } from "../../project/config/config.ts";
import type { Config } from "../../project/config/settings.ts";
import type { Project } from "../../project/paths.ts";
import type { SearchRequest, SearchResponse } from "../../protocol/routes.ts";
import { CodeSearch } from "../../search/code/engine.ts";
import type { CodeQuery } from "../../search/code/types.ts";
import type { VectorSearch } from "../../search/vectors/vector-search.ts";
import { CodeIndex, reconciledAt } from "../../store/index/code-index.ts";
import { openToRead } from "../../store/sqlite/open-to-read.ts";
import { ageOf } from "../status/status.ts";

/**
 * The question that a request asks, with the configuration's answers where it says nothing.
 * @throws PommelError `usage` for a language that is not known
 */
export function toCodeQuery(request: SearchRequest, config: Config): CodeQuery {
  return {
    query: request.q,
    limit: request.limit ?? config["search.limit"],
    levels: request.level ?? config["search.levels"],
    paths: (request.path ?? []).flatMap(globsOf),
    languages: languageIdsOf(request.language ?? []),
    explain: request.explain ?? false,
  };
}

/** A path stands for itself and, if it is a directory, for everything below. */
function globsOf(path: string): string[] {
  const plain = path.replace(/^(\.\/)+/, "").replace(/\/+$/, "");
  return plain === "" || plain === "." ? ["**"] : [plain, `${plain}/**`];
}

/**
 * Answers a search in this process from what the index holds, without a daemon.
 * @throws PommelError `not_indexed`, `index_corrupt`, `index_too_new`, `unreadable`, `usage`
 */
export async function searchInProcess(project: Project, request: SearchRequest): Promise<SearchResponse> {
  const { config } = loadConfig(project);
  return withIndex(project, async (index) => {
    const vectors = await vectorSearchIn(index, config);
    const answer = await new CodeSearch({ project, index, vectors }).search(toCodeQuery(request, config));
    return { ...answer, index: ageOf(index, null) };
  });
}

/** Only the bundled model: any other takes longer to load than the answer may take. */
async function vectorSearchIn(index: CodeIndex, config: Config): Promise<VectorSearch | null> {
  if (config["embed.code"] === "none") return null;
  const { VectorSearch } = await import("../../search/vectors/vector-search.ts");
  const { bundledEmbedder } = await import("../../models/embed/bundled-embedder.ts");
  return new VectorSearch({ index, first: bundledEmbedder() });
}

/** The files that are left out, and why, whether a daemon runs or not. */
export function skippedFiles(project: Project): Promise<{ path: string; reason: string }[]> {
  return withIndex(project, (index) => index.skippedFiles().map(({ path, reason }) => ({ path, reason })));
}

/**
 * Opens the index to read, or a copy of it where SQLite may not write beside it, and closes it after use.
 * @throws PommelError `not_indexed`, `index_corrupt`, `index_too_new`, `unreadable`
 */
export function withIndex<T>(project: Project, use: (index: CodeIndex) => T | Promise<T>): Promise<T> {
  return openToRead(project.indexDb, openIndex, use);
}

function openIndex(file: string): CodeIndex {
  const index = CodeIndex.open(file, { readonly: true });
  try {
    index.meta(reconciledAt);
    return index;
  } catch (error) {
    index.close();
    throw error;
  }
}
