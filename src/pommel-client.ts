import { call } from "./client/call.ts";
import { findProject } from "./git/projects/find-project.ts";
import { PommelError } from "./project/errors.ts";
import type { RouteName } from "./protocol/endpoints.ts";
import { publicRoutes } from "./protocol/openapi.ts";
import type { RequestOf, ResponseOf } from "./protocol/routes.ts";

/**
 * `pommel/client`: what programs ask about a project. Its types are made from the same shapes as the daemon's contract
 * (scripts/client-types.ts).
 */

export { PommelError };

type Methods = { [R in RouteName]: (request?: RequestOf<R>) => Promise<ResponseOf<R>> };

export interface Pommel extends Methods {
  /** The project's root. */
  root: string;
}

/**
 * Asks the daemon, which is started when it is first needed, or answers in this process where none may run.
 * @param project a directory in the project; default: the working directory
 * @throws PommelError `not_initialised` in a home directory; each method throws PommelError with its operation's code
 */
export async function connect({ project: dir = "." }: { project?: string } = {}): Promise<Pommel> {
  const project = await findProject(dir);
  const methods = Object.fromEntries(
    publicRoutes.map((name) => [
      name,
      (request: object = {}) => call(name, request as RequestOf<typeof name>, project, { timeout }),
    ]),
  ) as Methods;
  return { root: project.root, ...methods };
}

/** What a question may take. Milliseconds. */
const timeout = 60_000;
