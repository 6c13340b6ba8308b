import { askToRead } from "../../client/ask-to-read.ts";
import { DaemonUnreachable } from "../../client/daemon-client.ts";
import type { Project } from "../../project/paths.ts";
import type { RouteName } from "../../protocol/endpoints.ts";
import type { RequestOf, ResponseOf } from "../../protocol/routes.ts";

/**
 * Asks the daemon; where none answers, or it dies over the question, `here` answers in this process.
 * @throws PommelError as the daemon or `here`
 */
export async function askOrRead<R extends RouteName>(
  project: Project,
  route: R,
  request: RequestOf<R>,
  here: () => Promise<ResponseOf<R>>,
): Promise<ResponseOf<R>> {
  try {
    return await askToRead(project, route, request);
  } catch (error) {
    if (!(error instanceof DaemonUnreachable)) throw error;
    return here();
  }
}
