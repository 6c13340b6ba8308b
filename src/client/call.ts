import { existsSync } from "node:fs";
import { loadConfig } from "../project/config/config.ts";
import { codeOf } from "../project/errors.ts";
import type { Project } from "../project/paths.ts";
import { endpoints, type RouteName } from "../protocol/endpoints.ts";
import type { RequestOf, ResponseOf } from "../protocol/routes.ts";
import { answererHere } from "../queries/here.ts";
import type { LocalAnswer, LocalName, LocalPlace, LocalRequest } from "../queries/local.ts";
import type { Running } from "../queries/operations.ts";
import { callDaemon, DaemonUnreachable, type UnreachableReason } from "./daemon-client.ts";

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

/** Operations that a daemon may still be at when it takes too long: nobody else may do the same. */
const changes: ReadonlySet<RouteName> = new Set([
  ...(["annotate", "editNote", "forget", "scrub", "retry", "index"] as const),
  ...(["changeSetting", "reloadSettings"] as const),
  ...(["createEvent", "linkEvent", "closeEvent"] as const),
]);

/** Operations on all projects. */
const ofAllProjects: ReadonlySet<RouteName> = new Set([
  "searchEverywhere",
  "sessionsEverywhere",
  "eventsEverywhere",
  "digestEverywhere",
  "projects",
  "locateSession",
]);

/** How long a daemon usually may take. Milliseconds. */
function usualTimeoutOf(operation: RouteName): number {
  if (changes.has(operation)) return changeTimeoutMs;
  return ofAllProjects.has(operation) ? everywhereTimeoutMs : timeoutMs;
}

/**
 * The one way to an operation: through the daemon, which is started where none runs, or in this process where none can be,
 * and always for those of `queries/local.ts` and `queries/upkeep/`.
 * A daemon that hangs (stopped by a debugger, say) costs a process its time-out once, not with every call.
 * @param place what the operation is about; null: no project
 * @throws PommelError as the operation, DaemonUnreachable where only a daemon could answer, and the signal's reason once it
 *   is aborted
 */
export function call<N extends LocalName>(
  operation: N,
  input: LocalRequest<N>,
  place: LocalPlace<N>,
  how?: Running,
): Promise<LocalAnswer<N>>;
export function call<R extends RouteName>(
  operation: R,
  input: RequestOf<R>,
  place: Project | null,
  options?: CallOptions,
): Promise<ResponseOf<R>>;
export async function call(
  operation: RouteName | LocalName,
  input: unknown,
  place: unknown,
  options: CallOptions = {},
): Promise<unknown> {
  if (isServed(operation)) return callServed(operation, input as never, place as Project | null, options);
  const { runLocal } = await import("../queries/local.ts");
  return runLocal(place as never, operation, input as never, options);
}

const isServed = (operation: RouteName | LocalName): operation is RouteName =>
  Object.hasOwn(endpoints, operation);

async function callServed<R extends RouteName>(
  operation: R,
  input: RequestOf<R>,
  place: Project | null,
  options: CallOptions,
): Promise<ResponseOf<R>> {
  try {
    return await ask(operation, input, place, options);
  } catch (error) {
    const { without = "start" } = options;
    if (!(error instanceof DaemonUnreachable) || without === "fail") throw error;
    const isBusy = error.reason === "timeout";
    if (isBusy && changes.has(operation)) throw error;
    if (!isBusy && without === "start" && (await startAndWait()))
      return ask(operation, input, place, options);
    return runHere(operation, input, place, options, error);
  }
}

/** @throws DaemonUnreachable when no daemon answers, PommelError with its own code when it refuses */
async function ask<R extends RouteName>(
  operation: R,
  input: RequestOf<R>,
  place: Project | null,
  { timeout, signal }: CallOptions,
): Promise<ResponseOf<R>> {
  const root = place?.root ?? null;
  const here = answererHere();
  if (here) return here(root, operation, input, signal);
  try {
    const answered = await callDaemon(
      ...([root, operation, input] as const),
      Date.now() - hungAt < remembered ? shortTimeoutMs : (timeout ?? usualTimeoutOf(operation)),
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

/** In this process; code that is not indexed yet is indexed first. @throws `why` where only a daemon can answer */
async function runHere<R extends RouteName>(
  operation: R,
  input: RequestOf<R>,
  place: Project | null,
  { onHere, ...how }: CallOptions,
  why: DaemonUnreachable,
): Promise<ResponseOf<R>> {
  const { everywhere, isOperation, run } = await import("../queries/operations.ts");
  const all: { [N in RouteName]?: (request: RequestOf<N>) => Promise<ResponseOf<N>> } = everywhere;
  const ofAll = all[operation];
  if (ofAll) return ofAll(input);
  if (place === null || !isOperation(operation)) throw why;
  onHere?.(why.reason);
  if (ofCode.has(operation) && !existsSync(place.indexDb)) await indexFirst(place, run, how.signal);
  return run(place, operation, input, how);
}

/** Operations that have nothing to say about code that is not indexed. */
const ofCode: ReadonlySet<RouteName> = new Set(["search", "searchAll", "chunk", "impact", "packages"]);

async function indexFirst(
  project: Project,
  run: typeof import("../queries/operations.ts").run,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (loadConfig(project).config["index.driver"] !== "sqlite") return;
  try {
    await run(project, "index", {}, { signal });
  } catch (error) {
    // Another process is at it: the answer is from what it has indexed so far.
    if (codeOf(error) !== "locked") throw error;
  }
}

/**
 * Has a daemon that runs go by what was changed about a project, or, with null, about all. One that starts later does anyway.
 * @throws PommelError where a daemon runs and does not confirm it
 */
export async function applyChanges(project: Project | null): Promise<void> {
  try {
    await call("reloadSettings", {}, project, { without: "fail" });
  } catch (error) {
    if (!(error instanceof DaemonUnreachable) || error.reason === "timeout") throw error;
  }
}
