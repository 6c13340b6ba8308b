import { ask, askEach, deadlineMs, listProjectsToAsk } from "../../answers/ask-projects.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { type eventsEverywhereRequest, type eventsEverywhereResponse, listEvents } from "./operation.ts";

/** Events of all projects, project by project. Errors as `searchEverywhere`. */
export async function listEventsEverywhere(
  { here, below, ...request }: Shaped<typeof eventsEverywhereRequest>,
  deadline = deadlineMs,
): Promise<Shaped<typeof eventsEverywhereResponse>> {
  const { answers, left_out } = await askEach(
    (await listProjectsToAsk({ here, below })).filter(({ withMemory }) => withMemory),
    ({ project }) => ask(project, listEvents, request),
    deadline,
  );
  return {
    events: answers.flatMap(({ project, answer }) =>
      answer.events.map((event) => ({ project: project.root, ...event })),
    ),
    archived: answers.reduce((sum, { answer }) => sum + answer.archived, 0),
    projects: answers.map(({ project }) => project.root),
    left_out,
  };
}
