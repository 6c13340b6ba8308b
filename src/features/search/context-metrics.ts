import { withIndex } from "../../answers/open.ts";
import { loadConfig } from "../../base/config/config.ts";
import type { Project } from "../../base/paths.ts";
import { type ContextMetrics, measureContextSaving } from "../../code/search/metrics.ts";
import { findFilesInScope } from "../../code/search/scope.ts";
import type { SearchResponse } from "../../protocol/results.ts";
import type { SearchableIndex } from "../../store/index/port.ts";
import { toCodeQuery } from "./code.ts";
import type { SearchRequest } from "./operation.ts";

/**
 * The tokens that an answer saves its reader; the baseline searches the same files. Reads all of them.
 * @throws PommelError `index_corrupt`, `index_too_new`, `unreadable`
 */
export async function measureContext(
  project: Project,
  request: SearchRequest,
  { results, coverage }: SearchResponse,
): Promise<ContextMetrics> {
  const { config } = loadConfig(project);
  const query = toCodeQuery(request, config);
  const measure = async (searched: SearchableIndex) => {
    const files = await findFilesInScope(searched, project.root, query);
    return measureContextSaving(
      request.q,
      results.map(({ content }) => content),
      { root: project.root, files: files.map(({ path }) => path) },
    );
  };
  if (coverage === undefined) return withIndex(project, config, measure);
  const { SourceTree } = await import("../../code/search/tree/tree.ts");
  return SourceTree.openForProject(project, config).ask(query, measure);
}
