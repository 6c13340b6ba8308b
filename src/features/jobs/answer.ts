import { changing } from "../../answers/changing.ts";
import { Kept } from "../../answers/kept.ts";
import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { removeDead, retryDead } from "../../store/memory/jobs/jobs.ts";
import { queueOf } from "../status/status.ts";
import type { queueResponse, retryRequest } from "./operation.ts";

/** What a daemon has to do for a checkout that it keeps, by its root. */
export const keptQueue = new Kept<() => Shaped<typeof queueResponse>>();

export function showQueue({ project }: Subjects["project"]) {
  const kept = keptQueue.of(project.root);
  return kept === null ? queueOf(project) : kept();
}

export async function retryJobs(
  { project }: Subjects["project"],
  { ids, drop }: Shaped<typeof retryRequest>,
) {
  const ofJobs = drop ? removeDead : retryDead;
  return { jobs: await changing(project, ({ memory }) => ofJobs(memory, ids ?? "all")) };
}
