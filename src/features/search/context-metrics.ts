import { withIndex } from "../../answers/open.ts";
import { loadConfig } from "../../project/config/config.ts";
import type { Project } from "../../project/paths.ts";
import type { SearchResponse } from "../../protocol/results.ts";
import { type ContextMetrics, contextMetrics } from "../../search/code/metrics.ts";
import { filesIn } from "../../search/code/scope.ts";
import { toCodeQuery } from "./code.ts";
import type { SearchRequest } from "./operation.ts";

/**
 * The tokens that an answer saves its reader; the baseline searches the same files. Reads all of them.
 * @throws PommelError `not_indexed`, `index_corrupt`, `index_too_new`, `unreadable`
 */
export function contextMetricsOf(
  project: Project,
  request: SearchRequest,
  { results }: SearchResponse,
): Promise<ContextMetrics> {
  const { config } = loadConfig(project);
  return withIndex(project, config, async (index) => {
    const files = await filesIn(index, project.root, toCodeQuery(request, config));
    return contextMetrics(
      request.q,
      results.map(({ content }) => content),
      { root: project.root, files: files.map(({ path }) => path) },
    );
  });
}
