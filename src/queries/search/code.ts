import { languageIdsOf } from "../../code/languages/index.ts";
import { loadConfig } from "../../project/config/config.ts";
import type { Config } from "../../project/config/settings.ts";
import { levelOf } from "../../project/levels.ts";
import type { Project } from "../../project/paths.ts";
import type { SearchRequest, SearchResponse } from "../../protocol/operations/search.ts";
import { CodeSearch } from "../../search/code/engine.ts";
import type { CodeQuery } from "../../search/code/types.ts";
import { indexDriver } from "../../store/index/drivers.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import { indexOwner } from "../here.ts";
import { ageOf } from "../status/status.ts";
import { bundledQueryEmbedder } from "./embedder.ts";

/**
 * The query of a request, with defaults from the configuration.
 * @throws PommelError `usage` for an unknown language
 */
export function toCodeQuery(request: SearchRequest, config: Config): CodeQuery {
  return {
    query: request.q,
    limit: request.limit ?? config["search.limit"],
    levels: [...new Set((request.level ?? config["search.levels"]).map(levelOf))],
    paths: (request.path ?? []).flatMap(globsOf),
    languages: languageIdsOf(request.language ?? []),
    ...(request.match && { match: request.match }),
    explain: request.explain ?? false,
  };
}

/** A path matches itself and, if it is a directory, everything below. */
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
  return withIndex(project, config, async (index) => {
    const embedder = config["embed.code"] === "none" ? null : await bundledQueryEmbedder();
    const answer = await new CodeSearch({ project, index, embedder }).search(toCodeQuery(request, config));
    return { ...answer, index: await ageOf(index, null) };
  });
}

/** The files that are left out, and why, whether a daemon runs or not. */
export function skippedFiles(project: Project): Promise<{ path: string; reason: string }[]> {
  return withIndex(project, loadConfig(project).config, async (index) =>
    (await index.skipped()).map(({ path, reason }) => ({ path, reason })),
  );
}

/**
 * Uses the index that this process has open, or opens it to read and closes it after use.
 * @throws PommelError `not_indexed`, `index_corrupt`, `index_too_new`, `unreadable`
 */
export async function withIndex<T>(
  project: Project,
  config: Config,
  use: (index: CodeIndex) => Promise<T>,
): Promise<T> {
  const owner = indexOwner(project.indexDb);
  if (owner === null) return (await indexDriver(config)).read(project.indexDb, use);
  try {
    return await use(owner.index);
  } catch (error) {
    owner.suspect(error);
    throw error;
  }
}
