import { request as httpRequest } from "node:http";
import { codeOf, type ErrorCode, isErrorCode, messageOf, PommelError } from "../project/errors.ts";
import { isOwnSocket, socketOf } from "../project/home.ts";
import { doorHeader, ownDoor, placeHeader } from "../protocol/door.ts";
import { endpoints, type RouteName, urlOf } from "../protocol/endpoints.ts";
import type { RequestOf, ResponseOf } from "../protocol/routes.ts";

/** Why a daemon did not answer. */
export type UnreachableReason =
  /** There is no socket. */
  | "not_running"
  /** Nobody listens on the socket: the daemon was killed. */
  | "stale"
  /** Something else answers. */
  | "foreign"
  /** It exists but did not answer in time. */
  | "timeout";

/** No answer from the daemon. Reading commands go on without it. */
export class DaemonUnreachable extends PommelError {
  constructor(
    readonly reason: UnreachableReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super("daemon_unreachable", message, "Start it with `pm daemon start`.", options);
  }
}

/**
 * Sends a request to the daemon.
 * @param place the directory that it is about; null: none
 * @param timeoutMs for the whole exchange
 * @param signal aborted when the answer is no longer wanted: the daemon then stops working on it
 * @throws DaemonUnreachable when it does not answer, PommelError with the daemon's own code when it refuses
 */
export async function callDaemon<R extends RouteName>(
  place: string | null,
  route: R,
  request: RequestOf<R>,
  timeoutMs = 5000,
  signal?: AbortSignal,
): Promise<ResponseOf<R>> {
  const { method } = endpoints[route];
  const path = urlOf(endpoints[route], request);
  const asked = exchange(place, method, path, method === "POST" ? request : undefined, timeoutMs, signal);
  // Loaded while the daemon works: most of a command's time is its own start.
  const [answer, { readResponse, readRefusal }] = await Promise.all([asked, loadShapes(route)]);
  const foreign = (cause?: unknown) =>
    new DaemonUnreachable("foreign", "What answers is not the Pommel daemon.", {
      cause,
    });
  let body: unknown;
  try {
    body = JSON.parse(answer.text);
  } catch (error) {
    throw foreign(error);
  }
  if (answer.status === 200) {
    const response = readResponse(route, body);
    if (!response) throw foreign();
    return response;
  }
  const refusal = readRefusal(body);
  if (!refusal) throw foreign();
  const known: ErrorCode = isErrorCode(refusal.code) ? refusal.code : "internal";
  throw new PommelError(known, refusal.message, refusal.hint);
}

async function loadShapes(route: RouteName) {
  const { routes, readResponse, readRefusal } = await import("../protocol/routes.ts");
  routes[route].response();
  return { readResponse, readRefusal };
}

interface Answer {
  status: number;
  text: string;
}

/** One HTTP request. `node:http`, because loading fetch costs a short-lived command 20 ms. */
function exchange(
  place: string | null,
  method: string,
  path: string,
  body: unknown,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const socketPath = socketOf();
  if (!isOwnSocket(socketPath))
    return Promise.reject(new DaemonUnreachable("not_running", "The Pommel daemon is not running."));
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const headers: Record<string, string | number> = {
    host: "localhost",
    connection: "close",
    ...(place !== null && { [placeHeader]: encodeURIComponent(place) }),
    [doorHeader]: ownDoor(),
  };
  if (payload !== undefined) {
    headers["content-type"] = "application/json";
    headers["content-length"] = Buffer.byteLength(payload);
  }
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      clearTimeout(timer);
      reject(signal?.aborted ? signal.reason : unreachable(error));
    };
    const request = httpRequest({ socketPath, method, path, headers, agent: false, signal }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", fail);
      response.on("end", () => {
        clearTimeout(timer);
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString("utf8") });
      });
    });
    const timer = setTimeout(() => {
      const seconds = timeoutMs / 1000;
      request.destroy(
        new DaemonUnreachable("timeout", `The Pommel daemon did not answer within ${seconds} s.`),
      );
    }, timeoutMs);
    request.on("error", fail);
    request.end(payload);
  });
}

function unreachable(cause: unknown): DaemonUnreachable {
  if (cause instanceof DaemonUnreachable) return cause;
  // What answers does not speak HTTP.
  const reason = codeOf(cause).startsWith("HPE_") ? "foreign" : "stale";
  return new DaemonUnreachable(reason, `The Pommel daemon does not answer (${messageOf(cause)}).`, { cause });
}
