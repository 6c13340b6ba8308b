import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { type Candidates, maxCompletedIds, withoutStart } from "../completions.ts";
import { listCheckpoints } from "./operation.ts";

export async function listCheckpointIds(project: Project): Promise<Candidates> {
  const { checkpoints } = await call(listCheckpoints, { limit: maxCompletedIds }, project, withoutStart);
  return checkpoints.map(({ id, subject }) => [id, subject]);
}
