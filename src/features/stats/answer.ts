import type { Running, Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { statsRequest } from "./operation.ts";
import { computeStats } from "./stats.ts";

export const showStats = (
  { project, memory }: Subjects["memory, if any"],
  { path: paths, ...request }: Shaped<typeof statsRequest>,
  { signal }: Running,
) => computeStats(project, memory, { ...request, paths }, signal);
