import { askMemories, listWithProjects } from "../../answers/ask-projects.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import {
  type checkpointsEverywhereRequest,
  type checkpointsEverywhereResponse,
  listCheckpoints,
} from "./operation.ts";

/** Commits of all projects, the latest first. Errors as `searchEverywhere`. */
export async function listCheckpointsEverywhere({
  here,
  below,
  ...request
}: Shaped<typeof checkpointsEverywhereRequest>): Promise<Shaped<typeof checkpointsEverywhereResponse>> {
  const limit = request.limit ?? 20;
  const { answers, projects, left_out } = await askMemories(
    listCheckpoints,
    { ...request, limit },
    { here, below },
  );
  return {
    checkpoints: listWithProjects(answers, ({ checkpoints }) => checkpoints)
      .sort((a, b) => b.committed_at.localeCompare(a.committed_at) || (a.commit < b.commit ? -1 : 1))
      .slice(0, limit),
    total: answers.reduce((sum, { answer }) => sum + answer.total, 0),
    projects,
    left_out,
  };
}
