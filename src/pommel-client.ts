import { PommelError } from "./base/errors.ts";
import { call } from "./client/call.ts";
import {
  type OperationName,
  publicOperations,
  type RequestNamed,
  type ResponseNamed,
} from "./features/index.ts";
import { findProject } from "./git/projects/find-project.ts";

/**
 * `pommel/client`: what programs ask about a project. Its types are made from the same shapes as the daemon's contract
 * (scripts/client-types.ts).
 */

export { PommelError };

type Methods = { [N in OperationName]: (request?: RequestNamed<N>) => Promise<ResponseNamed<N>> };

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
    publicOperations.map((operation) => [
      operation.name,
      (request: Record<string, unknown> = {}) => call(operation, request, project, { timeout }),
    ]),
  ) as unknown as Methods;
  return { root: project.root, ...methods };
}

/** What a question may take. Milliseconds. */
const timeout = 60_000;
