import { callDaemon } from "./client/daemon-client.ts";
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
 * Finds the daemon, or starts it.
 * @param project a directory in the project; default: the working directory
 * @throws PommelError `not_initialised` in a home directory, `daemon_start_failed`; each method throws
 *   PommelError with the daemon's own code
 */
export async function connect({ project: dir = "." }: { project?: string } = {}): Promise<Pommel> {
  const project = await findProject(dir);
  const { findOrStartDaemon } = await import("./client/connect.ts");
  await findOrStartDaemon();
  const call = async <R extends RouteName>(name: R, request: RequestOf<R>): Promise<ResponseOf<R>> => {
    try {
      return await callDaemon(project.root, name, request, timeoutMs);
    } catch (error) {
      // It ended meanwhile, as daemons do that nobody asks.
      if (!(error instanceof PommelError) || error.code !== "daemon_unreachable") throw error;
      await findOrStartDaemon();
      return callDaemon(project.root, name, request, timeoutMs);
    }
  };
  const methods = Object.fromEntries(
    publicRoutes.map((name) => [
      name,
      (request: object = {}) => call(name, request as RequestOf<typeof name>),
    ]),
  ) as Methods;
  return { root: project.root, ...methods };
}

/** What a question may take. Milliseconds. */
const timeoutMs = 60_000;
