import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { shortenId } from "../../terminal/text.ts";
import { type Candidates, maxCompletedIds, withoutStart } from "../completions.ts";
import { listSessions } from "./operation.ts";

export async function listSessionIds(project: Project): Promise<Candidates> {
  const { sessions } = await call(listSessions, { limit: maxCompletedIds }, project, withoutStart);
  return sessions.map(({ id, title }) => [shortenId(id), title]);
}
