import { Kept } from "../../answers/kept.ts";
import type { Running, Subjects } from "../../answers/operation.ts";
import { reindex } from "../../answers/reindex.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { indexRequest } from "./operation.ts";

/** What a daemon does with the index of a checkout that it keeps, by the checkout's root. */
interface KeptIndex {
  /** Queues files by paths and globs, or all of them. */
  reindex(which: readonly string[] | "all"): void;
  /** Looks for files that changed. */
  reconcile(): void;
  queue(): { pending: number };
}
export const keptIndex = new Kept<KeptIndex>();

export async function indexFiles(
  { project }: Subjects["project"],
  { paths = [], full }: Shaped<typeof indexRequest>,
  how: Running,
) {
  const kept = keptIndex.of(project.root);
  if (kept === null) return { queued: false, pending: 0, done: await reindex(project, paths, how) };
  if (full) kept.reindex("all");
  else if (paths.length > 0) kept.reindex(paths);
  else kept.reconcile();
  return { queued: true, pending: kept.queue().pending };
}
