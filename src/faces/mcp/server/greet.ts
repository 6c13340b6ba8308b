import type { Readable, Writable } from "node:stream";
import { isObject } from "../../../protocol/problem-in.ts";

/**
 * Some clients leave a server's tools out of a session if they do not get them soon: Codex CLI waits for one second. So the first
 * requests of every client are answered before the protocol's library is loaded, with answers recorded when Pommel was built.
 */

/** What the library answers, by the version of the protocol and the method. */
export type FirstAnswers = Readonly<Record<string, Readonly<Record<string, object>>>>;

export type RequestId = string | number;

/** Where the library takes over. */
export interface Greeting {
  /** What the library must read first: the opening of the session, and requests that are not answered yet. */
  unread: Buffer;
  /** The requests in `unread` that are already answered. */
  answered: Set<RequestId>;
}

/** No client opens a session with longer lines. Bytes. */
const maxLineLength = 64 * 1024;
const versionKey = "io.modelcontextprotocol/protocolVersion";
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

/** Answers a client's first requests. Returns when the client asks anything else, with `stdin` paused. */
export function greet(stdin: Readable, stdout: Writable, answers: FirstAnswers): Promise<Greeting> {
  let rest: Buffer = Buffer.alloc(0);
  let version = "";
  const opening: Buffer[] = [];
  const answered = new Set<RequestId>();

  /** Handles a line if it needs no library. @returns whether it did */
  function take(line: Buffer): boolean {
    const message = parseMessage(line);
    if (message?.method === "notifications/initialized" && version !== "") {
      opening.push(line);
      return true;
    }
    const asked = message === null ? null : readQuestion(message, version);
    const result = asked === null ? undefined : answers[asked.version]?.[asked.method];
    if (asked === null || result === undefined) return false;
    stdout.write(`${JSON.stringify({ result, jsonrpc: "2.0", id: asked.id })}\n`);
    if (asked.method === "initialize") {
      ({ version } = asked);
      opening.push(line);
      answered.add(asked.id);
    }
    return true;
  }

  return new Promise((resolve) => {
    const onData = (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
        if (!take(rest.subarray(0, end + 1))) return goOn();
        rest = rest.subarray(end + 1);
      }
      if (rest.length > maxLineLength) goOn();
    };
    const goOn = () => {
      stdin.off("data", onData).pause();
      resolve({ unread: Buffer.concat([...opening, rest]), answered });
    };
    stdin.on("data", onData);
  });
}

interface RpcMessage {
  id?: unknown;
  method?: unknown;
  params: Readonly<Record<string, unknown>>;
}

function parseMessage(line: Buffer): RpcMessage | null {
  try {
    const message: unknown = JSON.parse(line.toString("utf8"));
    if (!isObject(message) || message.jsonrpc !== "2.0") return null;
    const { id, method, params = {} } = message;
    return isObject(params) ? { id, method, params } : null;
  } catch {
    return null;
  }
}

/** @param agreed the version of the protocol; "" before the session is opened */
function readQuestion(
  { id, method, params }: RpcMessage,
  agreed: string,
): { id: RequestId; method: string; version: string } | null {
  if ((typeof id !== "string" && typeof id !== "number") || typeof method !== "string") return null;
  if (method === "initialize") {
    const { protocolVersion, capabilities, clientInfo } = params;
    const isWhole = isObject(capabilities) && isObject(clientInfo) && agreed === "";
    return isWhole && typeof protocolVersion === "string" ? { id, method, version: protocolVersion } : null;
  }
  if (params.cursor !== undefined) return null;
  // From version 2026-07-28 of the protocol on, each request names its version, and there is no session to open.
  const { _meta: meta } = params;
  if (!isObject(meta) || meta[versionKey] === undefined) return { id, method, version: agreed };
  const version = meta[versionKey];
  return agreed === "" && typeof version === "string" && isObject(meta[capabilitiesKey])
    ? { id, method, version }
    : null;
}
