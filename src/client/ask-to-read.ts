import type { Project } from "../project/paths.ts";
import type { RouteName } from "../protocol/endpoints.ts";
import type { RequestOf, ResponseOf } from "../protocol/routes.ts";
import { askDaemon, DaemonUnreachable } from "./daemon-client.ts";

/** How long a daemon may take, how long once it took too long, and for how long that counts. Milliseconds. */
const patienceMs = 10_000;
const littlePatienceMs = 500;
const remembered = 60_000;

/** When daemons last took too long, by their project's root. */
const hung = new Map<string, number>();

type Ask = typeof askDaemon;

/**
 * Asks the daemon what can also be read without it. One that hangs (stopped by a debugger, say) costs a process that asks
 * often its patience once, and not each time. Where none runs, one is started for the next questions.
 * @throws DaemonUnreachable when it does not answer, PommelError with the daemon's own code when it refuses
 */
export async function askToRead<R extends RouteName>(
  project: Project,
  route: R,
  request: RequestOf<R>,
  ask: Ask = askDaemon,
): Promise<ResponseOf<R>> {
  const since = Date.now() - (hung.get(project.root) ?? Number.NEGATIVE_INFINITY);
  const patience = since < remembered ? littlePatienceMs : patienceMs;
  try {
    const answer = await ask(project, route, request, patience);
    hung.delete(project.root);
    return answer;
  } catch (error) {
    if (!(error instanceof DaemonUnreachable)) throw error;
    if (error.reason === "timeout") hung.set(project.root, Date.now());
    else await (await import("./autostart.ts")).startInBackground(project);
    throw error;
  }
}
