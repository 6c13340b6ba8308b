import type { RunContext, Subjects } from "../../answers/operation.ts";
import { withSessionRead } from "../../answers/read-asked.ts";
import { listProjectRoots } from "../../git/projects/roots.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { listStoredSessions, showSession as show } from "./describe-session.ts";
import type {
  locateSessionRequest,
  picturesRequest,
  sessionRequest,
  sessionsEverywhereRequest,
  sessionsRequest,
  turnsRequest,
} from "./operation.ts";
import { readTurns as read } from "./read-turns.ts";

export const listSessions = ({ memory }: Subjects["memory"], request: Shaped<typeof sessionsRequest>) =>
  listStoredSessions(memory, request);

export const showSession = (
  { project, memory }: Subjects["memory"],
  request: Shaped<typeof sessionRequest>,
  { signal }: RunContext,
) => withSessionRead(project, memory, request.id, signal, () => show(memory, request, project.root));

export async function readTurns(
  { project, memory }: Subjects["memory"],
  request: Shaped<typeof turnsRequest>,
  { signal }: RunContext,
) {
  const roots = await listProjectRoots(project.root);
  return withSessionRead(project, memory, request.session, signal, () => read(memory, request, roots));
}

export const readPictures = async (
  { memory }: Subjects["memory"],
  request: Shaped<typeof picturesRequest>,
  { signal }: RunContext,
) => (await import("./pictures.ts")).readPictures(memory, request, signal);

export const listSessionsEverywhere = async (_: object, request: Shaped<typeof sessionsEverywhereRequest>) =>
  (await import("./everywhere.ts")).listSessionsEverywhere(request);

export const locateSession = async (_: object, request: Shaped<typeof locateSessionRequest>) =>
  (await import("./everywhere.ts")).locateSession(request);
