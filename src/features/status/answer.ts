import { Kept, KeptOnce } from "../../answers/kept.ts";
import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { StatusResponse, statusResponse } from "./operation.ts";
import { stateOf } from "./state.ts";
import { statusOf } from "./status.ts";

/** The status of a checkout that a daemon keeps, by its root. */
export const keptStatus = new Kept<() => Promise<Shaped<typeof statusResponse>>>();

/** The process of the daemon as it is now, read from no project. */
export const measuring = new KeptOnce<() => Omit<StatusResponse["daemon"], "running" | "has_open">>();

export function showStatus({ project }: Subjects["project"]) {
  const kept = keptStatus.of(project.root);
  return kept === null ? statusOf(project, measuring.ifAny()?.() ?? null) : kept();
}

export const readState = ({ project }: Subjects["project"]) => stateOf(project);
