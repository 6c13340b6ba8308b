import { changeMemory } from "../../answers/changing.ts";
import { noCode, noJobs, queueWith, readJobsStatus } from "../../answers/jobs-status.ts";
import { SharedObjects } from "../../answers/kept.ts";
import { withMemory } from "../../answers/open.ts";
import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { removeDead, retryDead } from "../../store/memory/jobs/jobs.ts";
import type { queueResponse, retryRequest } from "./operation.ts";

/** What a daemon has to do for a checkout that it keeps, by its root. */
export const keptQueue = new SharedObjects<() => Shaped<typeof queueResponse>>();

export async function showQueue({ project }: Subjects["project"]) {
  const kept = keptQueue.findKept(project.root);
  if (kept !== null) return kept();
  // A memory that is not there, or cannot be read, has nothing to do; the status says why.
  const sessions = await withMemory(project, readJobsStatus).catch(() => noJobs);
  return { ...queueWith(noCode, sessions), sessions, past: null };
}

export async function retryJobs(
  { project }: Subjects["project"],
  { ids, drop }: Shaped<typeof retryRequest>,
) {
  const ofJobs = drop ? removeDead : retryDead;
  return { jobs: await changeMemory(project, ({ memory }) => ofJobs(memory, ids ?? "all")) };
}
