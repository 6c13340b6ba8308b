import type { Project } from "../project/paths.ts";
import type { RouteName } from "../protocol/endpoints.ts";
import type { RequestOf, ResponseOf } from "../protocol/routes.ts";
import type { Memory } from "../store/memory/memory.ts";
import { listSessions } from "../store/memory/sessions/sessions.ts";
import { withMemory } from "../store/memory/with-memory.ts";
import { askToRead } from "./ask-to-read.ts";
import { DaemonUnreachable, type UnreachableReason } from "./daemon-client.ts";

/** An answer of the daemon, or of this process where none answers. */
export interface FromMemory<T> {
  answer: T;
  /** Why no daemon answered; null when one did. */
  without: UnreachableReason | null;
  /** Newest line that is remembered, ISO 8601; null when a daemon answered, or nothing is remembered. */
  asOf: string | null;
}

/**
 * Asks the daemon, or reads the memory here.
 * @throws PommelError as `withMemory`, and as the daemon or `read`
 */
export async function askMemory<R extends RouteName>(
  project: Project,
  route: R,
  request: RequestOf<R>,
  read: (memory: Memory) => ResponseOf<R> | Promise<ResponseOf<R>>,
): Promise<FromMemory<ResponseOf<R>>> {
  try {
    return { answer: await askToRead(project, route, request), without: null, asOf: null };
  } catch (error) {
    if (!(error instanceof DaemonUnreachable)) throw error;
    return withMemory(project, async (memory) => {
      const answer = await read(memory);
      const [latest] = listSessions(memory, { children: true, limit: 1 });
      const asOf = latest?.lastAt == null ? null : new Date(latest.lastAt).toISOString();
      return { answer, without: error.reason, asOf };
    });
  }
}
