import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { formatCount } from "../../base/text/counted.ts";
import { call } from "../../client/call.ts";
import type { UnreachableReason } from "../../client/daemon-client.ts";
import { findProject, lookUpProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { retryJobs, showQueue } from "./operation.ts";
import { type QueueReport, wordQueue } from "./words.ts";

/** `pm daemon queue`: pending, running, failed and last finished jobs. */
export async function queueCommand({ cwd, output }: CommandContext): Promise<void> {
  const project = await lookUpProject(cwd);
  const report = await queueReport(project);
  showAnswer(output, report, () => wordQueue(report));
}

async function queueReport(project: Project): Promise<QueueReport> {
  let isRunning = true;
  // One that is too busy to answer works on the queue all the same.
  const onHere = (why: UnreachableReason) => {
    isRunning = why === "timeout";
  };
  const { sessions } = await call(showQueue, {}, project, { without: "here", onHere });
  return { ...sessions, daemon_running: isRunning };
}

/** `pm daemon queue retry [ids...]` */
export async function queueRetryCommand({ cwd, output }: CommandContext, ids: number[] = []): Promise<void> {
  const jobs = await changeFailedJobs(await findProject(cwd), ids, false);
  output.result({ jobs }, jobs === 0 ? "No failed jobs." : `${formatCount(jobs, "job")} will be retried.`);
}

/** `pm daemon queue drop [ids...]` */
export async function queueDropCommand({ cwd, output }: CommandContext, ids: number[] = []): Promise<void> {
  const jobs = await changeFailedJobs(await findProject(cwd), ids, true);
  output.result({ jobs }, jobs === 0 ? "No failed jobs." : `Discarded ${formatCount(jobs, "job")}.`);
}

/** @throws PommelError `not_found` when none of the named jobs failed */
async function changeFailedJobs(project: Project, ids: readonly number[], drop: boolean): Promise<number> {
  const request = { drop, ...(ids.length > 0 && { ids: [...ids] }) };
  const { jobs } = await call(retryJobs, request, project);
  if (jobs === 0 && ids.length > 0) {
    throw new PommelError(
      "not_found",
      `No failed job ${ids.join(" or ")}.`,
      "`pm daemon queue` shows their numbers.",
    );
  }
  return jobs;
}
