import type { Project } from "../project/paths.ts";
import type { RouteName } from "../protocol/endpoints.ts";
import type { RequestOf, ResponseOf } from "../protocol/routes.ts";
import { moveLegacyMemory } from "../queries/projects/legacy.ts";
import { withWritableMemory } from "../queries/writable-memory.ts";
import type { ScrubbingWork } from "../sessions/work.ts";
import { askDaemon, DaemonUnreachable } from "./daemon-client.ts";

/** What forgetting or scrubbing a large memory may take. Milliseconds. */
const timeoutMs = 600_000;

/**
 * Changes the memory through the daemon, or in this process if none runs.
 * @param change what the daemon would do; `create` creates a missing memory
 * @throws PommelError as the daemon or `change`, `no_memory`, `daemon_unreachable` if a daemon exists but does not
 *   answer: it may be working on the same data
 */
export async function changeMemory<R extends RouteName>(
  project: Project,
  route: R,
  request: RequestOf<R>,
  change: (work: ScrubbingWork) => Promise<ResponseOf<R>>,
  { create = false } = {},
): Promise<ResponseOf<R>> {
  try {
    return await askDaemon(project, route, request, timeoutMs);
  } catch (error) {
    if (!(error instanceof DaemonUnreachable) || error.reason === "timeout") throw error;
    await moveLegacyMemory(project);
    return withWritableMemory(project, change, { create });
  }
}
