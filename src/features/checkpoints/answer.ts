import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { listStoredCheckpoints, showCheckpoint as showOne } from "./checkpoints.ts";
import { diffCheckpoints } from "./compare-checkpoints.ts";
import type { checkpointRequest, checkpointsRequest, diffRequest } from "./operation.ts";

export const listCheckpoints = (
  { project, memory }: Subjects["memory"],
  request: Shaped<typeof checkpointsRequest>,
) => listStoredCheckpoints(memory, request, project.root);

export const showCheckpoint = (
  { project, memory }: Subjects["memory"],
  { id }: Shaped<typeof checkpointRequest>,
) => showOne(project, memory, id);

export const compareCheckpoints = (
  { project, memory }: Subjects["memory"],
  { from, to = "HEAD" }: Shaped<typeof diffRequest>,
) => diffCheckpoints(project, memory, { from, to });
