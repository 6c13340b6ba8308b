import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { shortenId } from "../../terminal/text.ts";
import { type Candidates, maxCompletedIds, withoutStart } from "../completions.ts";
import { listEvents } from "./operation.ts";

export async function listEventIds(project: Project): Promise<Candidates> {
  const { events } = await call(listEvents, { status: "all" }, project, withoutStart);
  return events.slice(0, maxCompletedIds).map(({ id, title }) => [shortenId(id), title]);
}
