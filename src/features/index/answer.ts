import { openIndex } from "../../answers/open.ts";
import type { RunContext, Subjects } from "../../answers/operation.ts";
import { reindexProject } from "../../answers/reindex.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { indexRequest } from "./operation.ts";

export async function indexFiles(
  { project }: Subjects["project"],
  { paths = [], full }: Shaped<typeof indexRequest>,
  how: RunContext,
) {
  const kept = openIndex(project);
  if (kept === null) return { queued: false, pending: 0, done: await reindexProject(project, paths, how) };
  if (full) kept.reindex("all");
  else if (paths.length > 0) kept.reindex(paths);
  else kept.reconcile();
  return { queued: true, pending: kept.queue().pending };
}
