import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import * as z from "zod/mini";
import { codeOf, type ErrorCode, isErrorCode, messageOf, PommelError } from "../project/errors.ts";
import type { Project } from "../project/paths.ts";
import {
  type DaemonRecord,
  daemonRecord,
  errorBody,
  type RequestOf,
  type ResponseOf,
  type RouteName,
  routes,
} from "./protocol.ts";

/** Why a daemon did not answer. */
export type UnreachableReason =
  /** There is no daemon.json. */
  | "not_running"
  /** daemon.json names a port on which nobody listens: the daemon was killed. */
  | "stale"
  /** Somebody else answers on that port. */
  | "foreign"
  /** It is there but said nothing in time. */
  | "timeout";

/** No answer from this project's daemon. Reading commands go on without it. */
export class DaemonUnreachable extends PommelError {
  constructor(
    readonly reason: UnreachableReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super("daemon_unreachable", message, "Start it with `pm start`.", options);
  }
}

/** What daemon.json says, or null when there is none or it makes no sense. */
export function readDaemonRecord(project: Project): DaemonRecord | null {
  try {
    return z.parse(daemonRecord(), JSON.parse(readFileSync(project.daemonFile, "utf8")));
  } catch {
    return null;
  }
}

/**
 * Asks the daemon of `project`.
 * @param timeoutMs for the whole exchange
 * @throws DaemonUnreachable when it does not answer, PommelError with the daemon's own code when it refuses
 */
export async function askDaemon<R extends RouteName>(
  project: Project,
  route: R,
  request: RequestOf<R>,
  timeoutMs = 5000,
): Promise<ResponseOf<R>> {
  const record = readDaemonRecord(project);
  if (!record) throw new DaemonUnreachable("not_running", "The Pommel daemon is not running.");
  return callDaemon(record, route, request, timeoutMs);
}

/** The same for a daemon whose record is known. */
export async function callDaemon<R extends RouteName>(
  record: DaemonRecord,
  route: R,
  request: RequestOf<R>,
  timeoutMs = 5000,
): Promise<ResponseOf<R>> {
  const { method, path, response } = routes[route];
  const answer = await exchange(record, method, path, method === "POST" ? request : undefined, timeoutMs);
  const foreign = (cause?: unknown) =>
    new DaemonUnreachable(
      "foreign",
      `Port ${record.port} does not belong to this project's daemon any more.`,
      { cause },
    );
  let body: unknown;
  try {
    body = JSON.parse(answer.text);
  } catch (error) {
    throw foreign(error);
  }
  if (answer.status === 200) {
    const parsed = z.safeParse(response(), body);
    if (!parsed.success) throw foreign(parsed.error);
    return parsed.data as ResponseOf<R>;
  }
  const refusal = z.safeParse(errorBody(), body);
  // Our own daemon knows our token; the daemon of another project does not.
  if (!refusal.success || answer.status === 401 || answer.status === 403) throw foreign();
  const { code, message, hint } = refusal.data.error;
  const known: ErrorCode = isErrorCode(code) ? code : "internal";
  throw new PommelError(known, message, hint);
}

interface Answer {
  status: number;
  text: string;
}

/** One HTTP request. `node:http`, because loading fetch costs a short-lived command 20 ms. */
function exchange(
  record: DaemonRecord,
  method: string,
  path: string,
  body: unknown,
  timeoutMs: number,
): Promise<Answer> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const headers: Record<string, string | number> = {
    authorization: `Bearer ${record.token}`,
    connection: "close",
  };
  if (payload !== undefined) {
    headers["content-type"] = "application/json";
    headers["content-length"] = Buffer.byteLength(payload);
  }
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      clearTimeout(timer);
      reject(unreachable(error));
    };
    const request = httpRequest(
      { host: "127.0.0.1", port: record.port, method, path, headers, agent: false },
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

function unreachable(cause: unknown): DaemonUnreachable {
  if (cause instanceof DaemonUnreachable) return cause;
  // What answers does not speak HTTP.
  const reason = codeOf(cause).startsWith("HPE_") ? "foreign" : "stale";
  return new DaemonUnreachable(reason, `The Pommel daemon does not answer (${messageOf(cause)}).`, { cause });
}
