import type { Running, Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { statsOf } from "../../queries/status/stats.ts";
import type { statsRequest } from "./operation.ts";

export const showStats = (
  { project, memory }: Subjects["memory, if any"],
  { path: paths, ...request }: Shaped<typeof statsRequest>,
  { signal }: Running,
) => statsOf(project, memory, { ...request, paths }, signal);
