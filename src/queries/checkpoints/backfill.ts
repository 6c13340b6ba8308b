import { type Backfilled, type BackfillOptions, backfill } from "../../attribution/checkpoints/backfill.ts";
import { historyTips } from "../../attribution/checkpoints/history-tips.ts";
import { historyProblem, isShallow } from "../../git/history/history.ts";
import type { Logger } from "../../project/log.ts";
import type { Project } from "../../project/paths.ts";
import { changing } from "../changing.ts";

export interface BackfillRequest extends Omit<BackfillOptions, "since"> {
  /** ISO 8601 or in words. */
  since?: string | undefined;
  log: Logger;
}

/**
 * Goes over history in this process. A daemon may be at it as well: what one of them has done the other finds done.
 * @returns also whether shallow clone: history ends here (a shallow clone)
 * @throws PommelError `usage` without a repository, or for a time that makes no sense; as `changing`
 */
export async function backfillHere(
  project: Project,
  { since, log, ...options }: BackfillRequest,
): Promise<Backfilled & { isShallow: boolean }> {
  const { parseWhen } = await import("../../text/dates.ts");
  const from = since === undefined ? null : await parseWhen(since, "since");
  await wantHistory(project);
  const report = await changing(project, ({ memory, scrubber, root, worktrees }) => {
    const work = { memory, scrubber, project, roots: [root, ...worktrees], log };
    return backfill(work, { ...options, since: from });
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
