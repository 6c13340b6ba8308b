import { askMemories } from "../../answers/ask-projects.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { resolvePeriod } from "./digest.ts";
import { type digestEverywhereRequest, type digestEverywhereResponse, sumUp } from "./operation.ts";

/** What happened lately in all projects, a part for each. Errors as `searchEverywhere`. */
export async function digestEverywhere({
  here,
  below,
  ...request
}: Shaped<typeof digestEverywhereRequest>): Promise<Shaped<typeof digestEverywhereResponse>> {
  const { answers, projects, left_out } = await askMemories(sumUp, request, { here, below });
  return {
    ...(await resolvePeriod(request)),
    parts: answers.flatMap(({ project, answer }) =>
      answer.parts.map((part) => ({ ...part, name: project.root })),
    ),
    notes: answers.flatMap(({ project, answer }) => answer.notes.map((note) => `${project.root}: ${note}`)),
    projects,
    left_out,
  };
}
