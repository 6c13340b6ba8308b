import { changeMemory } from "../../answers/changing.ts";
import { Kept } from "../../answers/kept.ts";
import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { removeDead, retryDead } from "../../store/memory/jobs/jobs.ts";
import { readClosedQueue } from "../status/status.ts";
import type { queueResponse, retryRequest } from "./operation.ts";

/** What a daemon has to do for a checkout that it keeps, by its root. */
export const keptQueue = new Kept<() => Shaped<typeof queueResponse>>();

export function showQueue({ project }: Subjects["project"]) {
  const kept = keptQueue.findKept(project.root);
  return kept === null ? readClosedQueue(project) : kept();
}

export async function retryJobs(
  { project }: Subjects["project"],
  { ids, drop }: Shaped<typeof retryRequest>,
) {
  const ofJobs = drop ? removeDead : retryDead;
  return { jobs: await changeMemory(project, ({ memory }) => ofJobs(memory, ids ?? "all")) };
}
