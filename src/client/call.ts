import { existsSync } from "node:fs";
import { reloadSettings } from "../answers/daemon/operation.ts";
import { getLocalAnswerer } from "../answers/here.ts";
import type { AnyLocalOperation, LocalOperation } from "../answers/local-operation.ts";
import type { Operation, RequestOf, ResponseOf, RunContext } from "../answers/operation.ts";
import { loadConfig } from "../base/config/config.ts";
import { getErrorCode } from "../base/errors.ts";
import type { Project } from "../base/paths.ts";
import { callDaemon, DaemonUnreachable, type UnreachableReason } from "./daemon-client.ts";

/** If the daemon takes longer for a search, this process searches by itself, because somebody is waiting. Milliseconds. */
const searchTimeoutMs = 5000;
/** How long a daemon may take; how long it may take after a time-out; how long a time-out is remembered. Milliseconds. */
const timeoutMs = 10_000;
const shortTimeoutMs = 500;
const remembered = 60_000;
/** How long a daemon may take to change a large memory, and to ask all projects. Milliseconds. */
const changeTimeoutMs = 600_000;
const everywhereTimeoutMs = 30_000;

/** When the daemon last took too long. */
let hungAt = Number.NEGATIVE_INFINITY;

/** Call this when the daemon has just taken too long: from now on this process gives it only `shortTimeoutMs`. */
export function expectNoAnswer(): void {
  hungAt = Number.POSITIVE_INFINITY;
}

export interface CallOptions extends RunContext {
  /** How long the daemon may take. Milliseconds. */
  timeout?: number | undefined;
  /** If no daemon runs: start one if that is allowed; answer in this process; or fail. Default: `start`. */
  without?: "start" | "here" | "fail";
  /** Called when this process answers instead of a daemon, with the reason. */
  onHere?: ((why: UnreachableReason) => void) | undefined;
}

/** How long a daemon usually may take. Milliseconds. */
function chooseTimeout({ changes, of, readsTree }: Operation): number {
  if (changes) return changeTimeoutMs;
  if (readsTree) return searchTimeoutMs;
  return of === "machine" ? everywhereTimeoutMs : timeoutMs;
}

/**
 * The only way to run an operation. The daemon runs it, and is started if none runs. This process runs local operations, and
 * the others when no daemon can be started.
 * A daemon that hangs (in a debugger, say) costs a process the full time-out once, not at every call.
 * @param place what the operation is about; null: no project
 * @throws PommelError as the operation does, DaemonUnreachable if only a daemon could answer, and the signal's reason once the
 *   signal is aborted
 */
export function call<Place, Request, Answer>(
  operation: LocalOperation<Place, Request, Answer>,
  input: Request,
  place: Place,
  how?: RunContext,
): Promise<Awaited<Answer>>;
export function call<O extends Operation>(
  operation: O,
  input: RequestOf<O>,
  place: Project | null,
  options?: CallOptions,
): Promise<ResponseOf<O>>;
export async function call(
  operation: Operation | AnyLocalOperation,
  input: unknown,
  place: unknown,
  options: CallOptions = {},
): Promise<unknown> {
  if ("runHere" in operation) return (await operation.runHere())(place, input, options);
  return callServed(operation, input as never, place as Project | null, options);
}

async function callServed<O extends Operation>(
  operation: O,
  input: RequestOf<O>,
  place: Project | null,
  options: CallOptions,
): Promise<ResponseOf<O>> {
  try {
    return await ask(operation, input, place, options);
  } catch (error) {
    const { without = "start" } = options;
    if (!(error instanceof DaemonUnreachable) || without === "fail") throw error;
    const isBusy = error.reason === "timeout";
    // The daemon may still be making this change, so nobody else may make it.
    if (isBusy && operation.changes) throw error;
    if (!isBusy && without === "start") {
      if (operation.readsTree && place !== null && !existsSync(place.indexDb)) {
        const answer = await runHere(operation, input, place, { ...options, onHere: undefined }, error);
        // The daemon starts after the answer: on a busy machine its start would slow the answer down.
        const { startInBackground } = await import("./autostart.ts");
        // Commands that run before the daemon has opened the project must find it in the registry.
        if (await startInBackground({ place: place.root })) await rememberUsed(place);
        else options.onHere?.(error.reason);
        return answer;
      }
      if (await startAndWait()) return ask(operation, input, place, options);
    }
    return runHere(operation, input, place, options, error);
  }
}

/** Remembers a project that the daemon is about to index. */
async function rememberUsed(project: Project): Promise<void> {
  const [{ findIndexObstacle }, { rememberProject }] = await Promise.all([
    import("../git/projects/indexed.ts"),
    import("../git/projects/find-project.ts"),
  ]);
  if (findIndexObstacle(project) === null) await rememberProject(project).catch(() => false);
}

/** @throws DaemonUnreachable when no daemon answers, PommelError with its own code when it refuses */
async function ask<O extends Operation>(
  operation: O,
  input: RequestOf<O>,
  place: Project | null,
  { timeout, signal }: CallOptions,
): Promise<ResponseOf<O>> {
  const root = place?.root ?? null;
  const here = getLocalAnswerer();
  if (here) return here(root, operation, input, signal);
  try {
    const answered = await callDaemon(
      root,
      operation,
      input,
      Date.now() - hungAt < remembered ? shortTimeoutMs : (timeout ?? chooseTimeout(operation)),
      signal,
    );
    hungAt = Number.NEGATIVE_INFINITY;
    return answered;
  } catch (error) {
    if (error instanceof DaemonUnreachable && error.reason === "timeout") hungAt = Date.now();
    throw error;
  }
}

/** @returns whether a daemon answers now */
async function startAndWait(): Promise<boolean> {
  const [{ startOnce }, { bringUpDaemon }] = await Promise.all([
    import("./autostart.ts"),
    import("./connect.ts"),
  ]);
  return startOnce(bringUpDaemon);
}

/** Runs an operation in this process. @throws `why` if only a daemon can answer */
async function runHere<O extends Operation>(
  operation: O,
  input: RequestOf<O>,
  place: Project | null,
  { onHere, ...how }: CallOptions,
  why: DaemonUnreachable,
): Promise<ResponseOf<O>> {
  const { needsDaemon, run } = await import("../answers/run.ts");
  if (needsDaemon(operation) || (place === null && operation.of !== "machine")) throw why;
  if (operation.of !== "machine") onHere?.(why.reason);
  if (operation.of === "code" && !existsSync(place!.indexDb)) await indexFirst(place!, how.signal);
  return run(operation, place, input, how);
}

/** @throws PommelError `not_initialised` for a directory whose files are not to be indexed */
async function indexFirst(project: Project, signal: AbortSignal | undefined): Promise<void> {
  const { requireIndexed } = await import("../git/projects/indexed.ts");
  requireIndexed(project);
  if (loadConfig(project).config["index.driver"] !== "sqlite") return;
  const { reindexProject } = await import("../answers/reindex.ts");
  try {
    await reindexProject(project, [], { signal });
  } catch (error) {
    // Another process is indexing: answer from what it has indexed so far.
    if (getErrorCode(error) !== "locked") throw error;
  }
}

/**
 * Makes a running daemon apply the changed settings of a project (null: of all projects). A daemon that starts later reads them anyway.
 * @throws PommelError where a daemon runs and does not confirm it
 */
export async function applyChanges(project: Project | null): Promise<void> {
  try {
    await call(reloadSettings, {}, project, { without: "fail" });
  } catch (error) {
    if (!(error instanceof DaemonUnreachable) || error.reason === "timeout") throw error;
  }
}
