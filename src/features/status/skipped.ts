import { loadCurrentConfig, withIndex } from "../../answers/open.ts";
import type { Project } from "../../base/paths.ts";

/** The files that are left out, and why, whether a daemon runs or not. */
export function listSkippedFiles(project: Project): Promise<{ path: string; reason: string }[]> {
  return withIndex(project, loadCurrentConfig(project), async (index) =>
    (await index.skipped()).map(({ path, reason }) => ({ path, reason })),
  );
}
