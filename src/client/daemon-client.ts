import { request as httpRequest } from "node:http";
import * as z from "zod/mini";
import type { Operation, RequestOf, ResponseOf } from "../answers/operation.ts";
import { type ErrorCode, getErrorCode, getErrorMessage, isErrorCode, PommelError } from "../base/errors.ts";
import { isOwnSocket, locateSocket } from "../base/home.ts";
import { operationsPath } from "../protocol/addresses.ts";
import { channelHeader, getChannel, placeHeader } from "../protocol/channel.ts";
import { readRefusal } from "../protocol/http.ts";

/** Why a daemon did not answer. */
export type UnreachableReason =
  /** There is no socket. */
  | "not_running"
  /** Nobody listens on the socket: the daemon was killed. */
  | "stale"
  /** Something other than the daemon answers. */
  | "foreign"
  /** The daemon is there but did not answer in time. */
  | "timeout";

/** The daemon did not answer. Commands that only read go on without it. */
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
 * @param place the directory that the request is about; null: none
 * @param timeoutMs for the whole exchange
 * @param signal aborted when nobody wants the answer any more: the daemon then stops working on it
 * @throws DaemonUnreachable when it does not answer, PommelError with the daemon's own code when it refuses
 */
export async function callDaemon<O extends Operation>(
  place: string | null,
  operation: O,
  request: RequestOf<O>,
  timeoutMs = 5000,
  signal?: AbortSignal,
): Promise<ResponseOf<O>> {
  const asked = exchange(place, `${operationsPath}/${operation.name}`, request, timeoutMs, signal);
  // The schema is built while the daemon works: a command spends most of its time on starting itself.
  const response = operation.response();
  const answer = await asked;
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
    const read = z.safeParse(response, body);
    if (!read.success) throw foreign();
    return read.data as ResponseOf<O>;
  }
  const refusal = readRefusal(body);
  if (!refusal) throw foreign();
  const known: ErrorCode = isErrorCode(refusal.code) ? refusal.code : "internal";
  throw new PommelError(known, refusal.message, refusal.hint);
}

interface HttpReply {
  status: number;
  text: string;
}

/** One HTTP request. `node:http`, because loading fetch costs a short-lived command 20 ms. */
function exchange(
  place: string | null,
  path: string,
  body: object,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<HttpReply> {
  const socketPath = locateSocket();
  if (!isOwnSocket(socketPath))
    return Promise.reject(new DaemonUnreachable("not_running", "The Pommel daemon is not running."));
  const payload = JSON.stringify(body);
  const headers: Record<string, string | number> = {
    host: "localhost",
    connection: "close",
    ...(place !== null && { [placeHeader]: encodeURIComponent(place) }),
    [channelHeader]: getChannel(),
    "content-type": "application/json",
    "content-length": Buffer.byteLength(payload),
  };
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      clearTimeout(timer);
      reject(signal?.aborted ? signal.reason : toDaemonUnreachable(error));
    };
    const request = httpRequest(
      { socketPath, method: "POST", path, headers, agent: false, signal },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("error", fail);
        response.on("end", () => {
          clearTimeout(timer);
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString("utf8") });
        });
      },
    );
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

function toDaemonUnreachable(cause: unknown): DaemonUnreachable {
  if (cause instanceof DaemonUnreachable) return cause;
  // What answers does not speak HTTP.
  const reason = getErrorCode(cause).startsWith("HPE_") ? "foreign" : "stale";
  return new DaemonUnreachable(reason, `The Pommel daemon does not answer (${getErrorMessage(cause)}).`, {
    cause,
  });
}

export const describeUnreachable = (reason: UnreachableReason): string =>
  reason === "timeout" ? "The daemon does not answer" : "No daemon is running";
