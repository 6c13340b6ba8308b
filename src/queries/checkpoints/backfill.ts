import { type Backfilled, backfill } from "../../attribution/checkpoints/backfill.ts";
import { historyTips } from "../../attribution/checkpoints/history-tips.ts";
import { historyProblem, isShallow } from "../../git/history/history.ts";
import { silentLog } from "../../project/log.ts";
import type { Project } from "../../project/paths.ts";
import { changing } from "../changing.ts";
import type { Running } from "../operations.ts";

export interface BackfillRequest {
  /** ISO 8601 or in words. */
  since?: string | undefined;
  /** At most this many commits, the latest. */
  limit?: number | undefined;
  /** All of history. */
  all?: boolean | undefined;
}

/**
 * Goes over history. A daemon may be at it as well: what one of them has done the other finds done.
 * @returns also whether history ends here, as in a shallow clone
 * @throws PommelError `usage` without a repository, or for a time that makes no sense; as `changing`
 */
export async function backfillHere(
  project: Project,
  { since, ...options }: BackfillRequest,
  { signal, onProgress, onNote = () => {} }: Running = {},
): Promise<Backfilled & { isShallow: boolean }> {
  const { parseWhen } = await import("../../text/dates.ts");
  const from = since === undefined ? null : await parseWhen(since, "since");
  await wantHistory(project);
  const log = { ...silentLog, warn: onNote, error: onNote };
  const report = await changing(project, ({ memory, scrubber, root, worktrees }) => {
    const work = { memory, scrubber, project, roots: [root, ...worktrees], log };
    return backfill(work, { ...options, since: from, signal, ...(onProgress && { onProgress }) });
  });
  return { ...report, isShallow: await isShallow(project.root).catch(() => false) };
}

/** @throws GitFailure if no branch has commits, or git cannot read them */
async function wantHistory(project: Project): Promise<void> {
  const problem = await historyProblem(project.root);
  if (problem === null) return;
  const isElsewhere = problem.reason === "no_commits" && (await historyTips(project)).length > 0;
  if (!isElsewhere) throw problem;
}
