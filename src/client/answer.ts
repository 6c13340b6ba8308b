import { existsSync } from "node:fs";
import { loadConfig } from "../project/config/config.ts";
import { codeOf } from "../project/errors.ts";
import type { Project } from "../project/paths.ts";
import type { RouteName } from "../protocol/endpoints.ts";
import type { RequestOf, ResponseOf } from "../protocol/routes.ts";
import { answerFromStore, type OperationName } from "../queries/operations.ts";
import { moveLegacyMemory } from "../queries/projects/legacy.ts";
import { listSessions } from "../store/memory/sessions/sessions.ts";
import { withMemory } from "../store/memory/with-memory.ts";
import { askDaemon, DaemonUnreachable, type UnreachableReason } from "./daemon-client.ts";

/** How long a daemon may take, how long once it timed out, and for how long that counts. Milliseconds. */
const timeoutMs = 10_000;
const shortTimeoutMs = 500;
const remembered = 60_000;

/** When daemons last took too long, by their project's root. */
const hung = new Map<string, number>();

export interface Answered<T> {
  answer: T;
  /** Why no daemon answered, but this process; null when one did. */
  without: UnreachableReason | null;
  /** The newest stored line, ISO 8601, if this process read the memory; else null. */
  asOf: string | null;
}

interface AnswerOptions {
  /** How long the daemon may take. Milliseconds. */
  timeout?: number | undefined;
  /** Whether a missing daemon is started; default: true. */
  starts?: boolean;
  /** Aborted when the answer is no longer wanted. */
  signal?: AbortSignal | undefined;
}

/**
 * The one way to run an operation: through the daemon, or in this process on what is stored if no daemon answers. A
 * daemon that hangs (stopped by a debugger, say) costs a process its time-out once, not on every request.
 * @throws PommelError as the operation, and the signal's reason once it is aborted
 */
export async function answer<R extends OperationName>(
  project: Project,
  operation: R,
  request: RequestOf<R>,
  { timeout, starts = true, signal }: AnswerOptions = {},
): Promise<Answered<ResponseOf<R>>> {
  try {
    const answered = await askPatiently(project, operation, request, { timeout, signal });
    return { answer: answered, without: null, asOf: null };
  } catch (error) {
    if (!(error instanceof DaemonUnreachable)) throw error;
    if (starts && error.reason !== "timeout" && (await startAndWait())) {
      const answered = await askPatiently(project, operation, request, { timeout, signal });
      return { answer: answered, without: null, asOf: null };
    }
    return {
      answer: await answerHere(project, operation, request, signal),
      without: error.reason,
      asOf: ofSessions.has(operation) ? await newestLine(project) : null,
    };
  }
}

/** Operations on sessions alone whose answer does not show how recent it is. */
const ofSessions: ReadonlySet<OperationName> = new Set(["sessions", "session", "annotations"]);

function newestLine(project: Project): Promise<string | null> {
  return withMemory(project, (memory) => {
    const [latest] = listSessions(memory, { children: true, limit: 1 });
    return latest?.lastAt == null ? null : new Date(latest.lastAt).toISOString();
  });
}

/** @returns whether a daemon answers now */
async function startAndWait(): Promise<boolean> {
  const [{ startOnce }, { bringUpDaemon }] = await Promise.all([
    import("./autostart.ts"),
    import("./connect.ts"),
  ]);
  return startOnce(bringUpDaemon);
}

/** In this process; what is not indexed yet is indexed first. */
async function answerHere<R extends OperationName>(
  project: Project,
  operation: R,
  request: RequestOf<R>,
  signal: AbortSignal | undefined,
): Promise<ResponseOf<R>> {
  await moveLegacyMemory(project);
  if (ofCode.has(operation) && !existsSync(project.indexDb)) await indexHere(project, signal);
  return answerFromStore(project, operation, request, signal);
}

/** Operations that have nothing to say about code that is not indexed. */
const ofCode: ReadonlySet<OperationName> = new Set(["search", "searchAll", "chunk", "impact", "packages"]);

async function indexHere(project: Project, signal: AbortSignal | undefined): Promise<void> {
  if (loadConfig(project).config["index.driver"] !== "sqlite") return;
  const [{ reindexInProcess }, { silentLog }] = await Promise.all([
    import("./reindex-in-process.ts"),
    import("../project/log.ts"),
  ]);
  const never = new AbortController().signal;
  const how = { paths: [], onProgress: () => {}, signal: signal ?? never, log: silentLog };
  try {
    await reindexInProcess(project, how);
  } catch (error) {
    // Another process is at it: the answer is from what it has indexed so far.
    if (codeOf(error) !== "locked") throw error;
  }
}

/** @throws DaemonUnreachable when it does not answer, PommelError with the daemon's own code when it refuses */
export async function askPatiently<R extends RouteName>(
  project: Project,
  route: R,
  request: RequestOf<R>,
  { timeout = timeoutMs, signal }: Pick<AnswerOptions, "timeout" | "signal"> = {},
  ask: typeof askDaemon = askDaemon,
): Promise<ResponseOf<R>> {
  const since = Date.now() - (hung.get(project.root) ?? Number.NEGATIVE_INFINITY);
  try {
    const answered = await ask(
      project,
      route,
      request,
      since < remembered ? shortTimeoutMs : timeout,
      signal,
    );
    hung.delete(project.root);
    return answered;
  } catch (error) {
    if (error instanceof DaemonUnreachable && error.reason === "timeout") hung.set(project.root, Date.now());
    throw error;
  }
}
