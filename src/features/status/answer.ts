import { KeptOnce, SharedObjects } from "../../answers/kept.ts";
import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { StatusResponse, statusResponse } from "./operation.ts";
import { readWriteMarks } from "./state.ts";
import { readClosedStatus } from "./status.ts";

/** The status of a checkout that a daemon keeps, by its root. */
export const keptStatus = new SharedObjects<() => Promise<Shaped<typeof statusResponse>>>();

/** The process of the daemon as it is now, read from no project. */
export const measuring = new KeptOnce<() => Omit<StatusResponse["daemon"], "running" | "has_open">>();

export function showStatus({ project }: Subjects["project"]) {
  const kept = keptStatus.findKept(project.root);
  return kept === null ? readClosedStatus(project, measuring.findShared()?.() ?? null) : kept();
}

export const readState = ({ project }: Subjects["project"]) => readWriteMarks(project);
