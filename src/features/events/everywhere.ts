import { askMemories, listWithProjects } from "../../answers/ask-projects.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { type eventsEverywhereRequest, type eventsEverywhereResponse, listEvents } from "./operation.ts";

/** Events of all projects, project by project. Errors as `searchEverywhere`. */
export async function listEventsEverywhere({
  here,
  below,
  ...request
}: Shaped<typeof eventsEverywhereRequest>): Promise<Shaped<typeof eventsEverywhereResponse>> {
  const { answers, projects, left_out } = await askMemories(listEvents, request, { here, below });
  return {
    events: listWithProjects(answers, ({ events }) => events),
    archived: answers.reduce((sum, { answer }) => sum + answer.archived, 0),
    projects,
    left_out,
  };
}
