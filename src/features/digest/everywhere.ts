import { ask, askEach, deadlineMs, listProjectsToAsk } from "../../answers/ask-projects.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { resolvePeriod } from "./digest.ts";
import { type digestEverywhereRequest, type digestEverywhereResponse, sumUp } from "./operation.ts";

/** What happened lately in all projects, a part for each. Errors as `searchEverywhere`. */
export async function digestEverywhere(
  { here, below, ...request }: Shaped<typeof digestEverywhereRequest>,
  deadline = deadlineMs,
): Promise<Shaped<typeof digestEverywhereResponse>> {
  const { answers, left_out } = await askEach(
    (await listProjectsToAsk({ here, below })).filter(({ withMemory }) => withMemory),
    ({ project }) => ask(project, sumUp, request),
    deadline,
  );
  return {
    ...(await resolvePeriod(request)),
    parts: answers.flatMap(({ project, answer }) =>
      answer.parts.map((part) => ({ ...part, name: project.root })),
    ),
    projects: answers.map(({ project }) => project.root),
    left_out,
  };
}
