import { Kept } from "../../answers/kept.ts";
import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { statusResponse } from "./operation.ts";
import { stateOf } from "./state.ts";
import { statusOf } from "./status.ts";

/** The status of a checkout that a daemon keeps, by its root. */
export const keptStatus = new Kept<() => Promise<Shaped<typeof statusResponse>>>();

export function showStatus({ project }: Subjects["project"]) {
  const kept = keptStatus.of(project.root);
  return kept === null ? statusOf(project) : kept();
}

export const readState = ({ project }: Subjects["project"]) => stateOf(project);
