import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../src/models/http/retry.ts";

/** For tests: what a server does instead of its work. */
type Fault =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | "reset"
  | "reset midway"
  | "garbage"
  | "silence";

interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  /** What drivers send; a handler has to check it as any server would. */
  body: { model: string; input: string[]; [key: string]: unknown };
}

export type Handler = (request: ReceivedRequest, response: ServerResponse) => void;

/** For tests: a server on this machine that fails on request. */
export interface FakeServer {
  url: string;
  requests: ReceivedRequest[];
  /** What it does with the next requests, one each, before it goes on as usual. */
  faults: Fault[];
  close(): Promise<void>;
}

export async function startFakeServer(routes: Record<string, Handler>): Promise<FakeServer> {
  const requests: ReceivedRequest[] = [];
  const faults: Fault[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { method = "", url = "", headers } = incoming;
    const request = { method, path: url, headers, body: text === "" ? {} : JSON.parse(text) };
    requests.push(request);
    const fault = faults.shift();
    const handler = routes[`${method} ${url}`];
    if (fault !== undefined) fail(response, fault);
    else if (handler) handler(request, response);
    else response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    faults,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function fail(response: ServerResponse, fault: Fault): void {
  if (fault === "silence") return;
  if (fault === "reset") {
    response.socket?.destroy();
  } else if (fault === "reset midway") {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write('{"embeddings": [[0.1', () => response.socket?.destroy());
  } else if (fault === "garbage") {
    response.writeHead(200, { "content-type": "text/html" }).end("<html>Welcome</html>");
  } else {
    sendJson(response, fault.body ?? {}, fault.status, fault.headers);
  }
}

export function sendJson(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** A unit vector that depends on the text alone: always the same, different for every text. */
export function fakeVector(text: string, dimensions: number): number[] {
  let state = 2_166_136_261;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 16_777_619) >>> 0;
  const vector = Array.from({ length: dimensions }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  });
  const length = Math.hypot(...vector);
  return vector.map((component) => component / length);
}

/** A clock whose time passes as soon as somebody waits; it notes for how long. */
export function fakeClock(): Clock & { waits: number[] } {
  const waits: number[] = [];
  let now = 1_000_000;
  return {
    waits,
    now: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      waits.push(ms);
      now += ms;
    },
    random: () => 0.5,
  };
}
