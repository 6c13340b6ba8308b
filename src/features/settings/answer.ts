import { SharedObjects } from "../../answers/kept.ts";
import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { changeSettingRequest } from "./operation.ts";
import { changeSetting as change, listSettings as list } from "./settings.ts";

/** Has a daemon go by changed settings of a checkout that it keeps, by its root. */
export const keptSettings = new SharedObjects<() => void>();

export const listSettings = ({ project }: Subjects["project"]) => list(project);

export async function changeSetting(
  { project }: Subjects["project"],
  request: Shaped<typeof changeSettingRequest>,
) {
  const changed = await change(project, request);
  keptSettings.findKept(project.root)?.();
  return changed;
}
