import { existsSync } from "node:fs";
import { reloadSettings } from "../answers/daemon/operation.ts";
import { getLocalAnswerer } from "../answers/here.ts";
import type { AnyLocalOperation, LocalOperation } from "../answers/local-operation.ts";
import type { Operation, RequestOf, ResponseOf, Running } from "../answers/operation.ts";
import { loadConfig } from "../base/config/config.ts";
import { getErrorCode } from "../base/errors.ts";
import type { Project } from "../base/paths.ts";
import { callDaemon, DaemonUnreachable, type UnreachableReason } from "./daemon-client.ts";

/** How long a daemon may take until this process searches by itself: whoever asks waits. Milliseconds. */
const searchTimeoutMs = 5000;
/** How long a daemon may take, how long once it timed out, and for how long that counts. Milliseconds. */
const timeoutMs = 10_000;
const shortTimeoutMs = 500;
const remembered = 60_000;
/** What forgetting in a large memory, and asking all projects, may take. Milliseconds. */
const changeTimeoutMs = 600_000;
const everywhereTimeoutMs = 30_000;

/** When the daemon last took too long. */
let hungAt = Number.NEGATIVE_INFINITY;

/** To be called when the daemon has just taken too long: it is not waited for again. */
export function expectNoAnswer(): void {
  hungAt = Number.POSITIVE_INFINITY;
}

export interface CallOptions extends Running {
  /** How long the daemon may take. Milliseconds. */
  timeout?: number | undefined;
  /** Without a daemon: one is started, unless it must not be; this process answers; or the call fails. Default: `start`. */
  without?: "start" | "here" | "fail";
  /** Called when this process answers, with why no daemon did. */
  onHere?: ((why: UnreachableReason) => void) | undefined;
}

/** How long a daemon usually may take. Milliseconds. */
function chooseTimeout({ changes, of, readsTree }: Operation): number {
  if (changes) return changeTimeoutMs;
  if (readsTree) return searchTimeoutMs;
  return of === "machine" ? everywhereTimeoutMs : timeoutMs;
}

/**
 * The one way to an operation: through the daemon, which is started where none runs, or in this process where none can be,
 * and always for local operations.
 * A daemon that hangs (stopped by a debugger, say) costs a process its time-out once, not with every call.
 * @param place what the operation is about; null: no project
 * @throws PommelError as the operation, DaemonUnreachable where only a daemon could answer, and the signal's reason once it
 *   is aborted
 */
export function call<Place, Request, Answer>(
  operation: LocalOperation<Place, Request, Answer>,
  input: Request,
  place: Place,
  how?: Running,
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
    // The daemon may still be at it: nobody else may do the same.
    if (isBusy && operation.changes) throw error;
    if (!isBusy && without === "start") {
      if (operation.readsTree && place !== null && !existsSync(place.indexDb)) {
        const answer = await runHere(operation, input, place, { ...options, onHere: undefined }, error);
        // Afterwards: on a busy machine its start would take from the answer.
        const { startInBackground } = await import("./autostart.ts");
        // Whoever looks before the daemon has opened it finds a project.
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

/** In this process. @throws `why` where only a daemon can answer */
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
    // Another process is at it: the answer is from what it has indexed so far.
    if (getErrorCode(error) !== "locked") throw error;
  }
}

/**
 * Has a daemon that runs go by what was changed about a project, or, with null, about all. One that starts later does anyway.
 * @throws PommelError where a daemon runs and does not confirm it
 */
export async function applyChanges(project: Project | null): Promise<void> {
  try {
    await call(reloadSettings, {}, project, { without: "fail" });
  } catch (error) {
    if (!(error instanceof DaemonUnreachable) || error.reason === "timeout") throw error;
  }
}
