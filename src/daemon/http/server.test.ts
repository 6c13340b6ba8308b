import { once } from "node:events";
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, request, type Server } from "node:http";
import { connect, createServer as createNetServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { namedProject } from "../../../test/support/named-project.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { readSpool } from "../../answers/daemon/operation.ts";
import { PommelError } from "../../base/errors.ts";
import { locateDaemonFiles, locateHome, locateSocket } from "../../base/home.ts";
import { silentLog } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { callDaemon } from "../../client/daemon-client.ts";
import type { OperationName, RequestNamed, ResponseNamed } from "../../features/index.ts";
import { showQueue } from "../../features/jobs/operation.ts";
import type { SearchRequest } from "../../features/search/operation.ts";
import { searchCode } from "../../features/search/operation.ts";
import type { sessionRequest, sessionsRequest } from "../../features/sessions/operation.ts";
import { listSessions, showSession } from "../../features/sessions/operation.ts";
import { placeHeader } from "../../protocol/channel.ts";
import { type DaemonRecord, readDaemonRecord } from "../../protocol/daemon-record.ts";
import { largestBody } from "../../protocol/http.ts";
import type { transcriptSearchRequest } from "../../protocol/search-sessions.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import {
  computePreferredPort,
  listen,
  listenOnSocket,
  makeDaemonRecord,
  removeRecord,
  writeRecord,
} from "../lifecycle/port.ts";
import { PageAccess } from "./page.ts";
import { checkRequests, createServer } from "./server.ts";

let home: ReturnType<typeof temporaryHome>;
let project: Project;
/** Each place that a request was about. */
const opened = vi.fn();
let record: DaemonRecord;
let server: Server;
/** The same, on the socket. */
let local: Server;
let pages: PageAccess;
const others: Server[] = [];

const idle = {
  pending: 0,
  done: 0,
  total: 0,
  processing: null,
  rate_chunks_per_sec: 0,
  eta_seconds: null,
  is_idle: true,
  code_is_idle: true,
  last_error: null,
  recent: [],
  sessions: {
    pending: 0,
    waiting: [],
    running: [],
    dead: [],
    rate_chunks_per_sec: 0,
    eta_seconds: null,
    is_idle: true,
    recent: [],
  },
  past: null,
};

const never = (): never => {
  throw new Error("not asked");
};

type Handlers = {
  [N in OperationName]: (
    request: RequestNamed<N>,
    signal?: AbortSignal,
  ) => ResponseNamed<N> | Promise<ResponseNamed<N>>;
};
type Answered<N extends OperationName> = ReturnType<Handlers[N]>;

const handlers = {
  search: vi.fn((request: SearchRequest) => ({
    query: request.q,
    results: [],
    verdict: "probably_not_here" as const,
    probability: 0,
    total_results: 0,
    search_time_ms: 0.1,
    searched_by: ["words"],
    notes: [],
    index: { pending: 0, is_complete: true, as_of: null },
  })),
  index: vi.fn(() => ({ queued: true as const, pending: 1 })),
  queue: vi.fn(() => idle),
  status: vi.fn((): never => {
    throw new Error("secret detail");
  }),
  shutdown: vi.fn(() => ({ stopping: true as const, pid: 1 })),
  searchTranscripts: vi.fn((request: Shaped<typeof transcriptSearchRequest>) => ({
    scope: "transcripts" as const,
    query: request.q,
    results: [],
    verdict: "probably_not_here" as const,
    probability: 0,
    total_results: 0,
    search_time_ms: 0.1,
    searched_by: ["words"],
    notes: [],
    memory: { pending: 0, as_of: null },
  })),
  sessions: vi.fn(
    (_: Shaped<typeof sessionsRequest>, __?: AbortSignal): Answered<"sessions"> => ({
      sessions: [],
      total: 0,
    }),
  ),
  session: vi.fn(({ id }: Shaped<typeof sessionRequest>): never => {
    throw new PommelError("not_found", `No session ${id}.`);
  }),
  state: vi.fn(() => ({ memory: "1", code: "1" })),
  page: vi.fn(
    (): Answered<"page"> => ({
      name: "p",
      root: "/p",
      version: "0",
      editor: null,
      agents: [],
      authors: [],
      branches: [],
      languages: [],
    }),
  ),
  pageCode: vi.fn(() => ({ code: "x", expires_in_seconds: 60 })),
  spool: vi.fn(() => ({ taken: true })),
} satisfies Partial<Handlers>;

beforeEach(async () => {
  vi.clearAllMocks();
  home = temporaryHome();
  project = namedProject(join(home.dir, "app"));
  mkdirSync(locateHome().stateDir, { mode: 0o700 });
  pages = new PageAccess();
  const serving = {
    record: () => record,
    answer: checkRequests(async (place, { name, of }, request, signal) => {
      if (of !== "daemon" && of !== "machine") opened(place);
      const asked: Partial<Record<string, unknown>> = handlers;
      const answer = (asked[name] ?? never) as (request: unknown, signal?: AbortSignal) => never;
      return answer(request, signal);
    }),
    pages,
    pageDir: join(home.dir, "ui"),
    onRequest: () => {},
    log: silentLog,
  };
  server = createServer({ ...serving, isSocket: false });
  local = createServer({ ...serving, isSocket: true });
  record = makeDaemonRecord(await listen(server, locateHome().stateDir, 0), {
    mode: "gentle",
    deadline_ms: 1000,
    places: {},
  });
  await listenOnSocket(local, locateSocket());
});

afterEach(() => {
  for (const one of [server, local, ...others.splice(0)]) {
    one.close();
    one.closeAllConnections();
  }
  home.remove();
});

interface Reply {
  status: number;
  body: string;
  headers: Record<string, unknown>;
}

/** A request as anybody could send it. */
function send(
  path: string,
  options: { method?: string; headers?: Record<string, string | undefined>; body?: string } = {},
): Promise<Reply> {
  const { method = "GET", headers = {}, body } = options;
  const host = `127.0.0.1:${record.port}`;
  return new Promise((resolve, reject) => {
    const authorization = `Bearer ${record.token}`;
    const place = encodeURIComponent(project.root);
    const outgoing = request(
      {
        port: record.port,
        host: "127.0.0.1",
        path,
        method,
        agent: false,
        headers: Object.fromEntries(
          Object.entries({ host, authorization, [placeHeader]: place, ...headers }).filter(
            ([, value]) => value !== undefined,
          ),
        ),
      },
      (response) => {
        let text = "";
        response.on("data", (part) => {
          text += part;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }),
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

test("answers its own clients", async () => {
  await expect(callDaemon(project.root, showQueue, {})).resolves.toEqual(idle);
  const answer = await callDaemon(project.root, searchCode, { q: "x".repeat(50_000), level: ["method"] });
  expect(answer.query).toHaveLength(50_000);
});

test.each([
  ["a wrong token", { authorization: "Bearer 0000" }, 401],
  ["a token of the right length", { authorization: `Bearer ${"0".repeat(64)}` }, 401],
  ["no scheme", { authorization: "x" }, 401],
  ["another host name (DNS rebinding)", { host: "evil.example" }, 403],
  ["another port", { host: "127.0.0.1:1" }, 403],
  ["a web page", { origin: "https://evil.example" }, 403],
  ["a page without origin", { origin: "null" }, 403],
])("refuses %s", async (_, headers, status) => {
  const reply = await send("/queue", { headers: headers as Record<string, string> });
  expect(reply.status).toBe(status);
  expect(JSON.parse(reply.body).error).toMatchObject({ code: status === 401 ? "unauthorized" : "forbidden" });
  expect(reply.headers).not.toHaveProperty("access-control-allow-origin");
  expect(handlers.queue).not.toHaveBeenCalled();
});

test("accepts its own page, and not localhost, which may lead to ::1 and another user's server there", async () => {
  const { port } = record;
  const at = (name: string) =>
    send("/queue", { headers: { host: `${name}:${port}`, origin: `http://${name}:${port}` } });
  expect((await at("127.0.0.1")).status).toBe(200);
  expect((await at("localhost")).status).toBe(403);
});

test("does not answer a preflight of a foreign page", async () => {
  const headers = { origin: "https://evil.example", "access-control-request-method": "POST" };
  expect((await send("/shutdown", { method: "OPTIONS", headers })).status).toBe(403);
});

test("takes a search from the query string", async () => {
  const path =
    "/search/code?q=retry%20loop&limit=3&level=method,class&path=src/**&path=lib/*.{js,ts}&language=ts&explain=1";
  expect((await send(path)).status).toBe(200);
  expect(handlers.search).toHaveBeenCalledWith(
    {
      q: "retry loop",
      limit: 3,
      level: ["method", "class"],
      path: ["src/**", "lib/*.{js,ts}"],
      language: ["ts"],
      explain: true,
    },
    expect.any(AbortSignal),
  );
});

test("accepts session searches as query strings", async () => {
  const path = "/search/transcripts?q=why&type=raw,summary&kind=decision&file=a,b.ts&since=last+week&limit=2";
  expect((await send(path)).status).toBe(200);
  expect(handlers.searchTranscripts).toHaveBeenCalledWith(
    {
      q: "why",
      type: ["raw", "summary"],
      kind: ["decision"],
      file: ["a,b.ts"],
      since: "last week",
      limit: 2,
    },
    expect.any(AbortSignal),
  );
  expect((await send("/search/transcripts?q=why&kind=novel")).status).toBe(400);
});

test("aborts work on an answer that nobody waits for any more", async () => {
  const asker = new AbortController();
  handlers.sessions.mockReturnValueOnce(new Promise(() => {}));
  const asked = callDaemon(project.root, listSessions, {}, 5000, asker.signal);
  const signal = await vi.waitFor(() => {
    const [, given] = handlers.sessions.mock.lastCall!;
    return given!;
  }, 60_000);
  asker.abort();
  await expect(asked).rejects.toBe(asker.signal.reason);
  await vi.waitFor(() => expect(signal.aborted).toBe(true), 60_000);
});

test("its client sends a path and a query where there is no body", async () => {
  await callDaemon(project.root, listSessions, { limit: 3, agents: true, branch: "a&b" });
  expect(handlers.sessions).toHaveBeenCalledWith(
    { limit: 3, agents: true, branch: "a&b" },
    expect.any(AbortSignal),
  );
  const asked = callDaemon(project.root, showSession, { id: "one/a2@b+c", turn: 0 });
  await expect(asked).rejects.toMatchObject({ code: "not_found", message: "No session one/a2@b+c." });
  expect(handlers.session).toHaveBeenCalledWith({ id: "one/a2@b+c", turn: 0 }, expect.any(AbortSignal));
  expect((await send("/sessions/one", { method: "POST" })).status).toBe(405);
});

test.each([
  ["/search/code", "q is missing."],
  ["/search/code?q=x&limit=0", "limit must be at least 1."],
  ["/search/code?q=x&limit=many", "limit must be a number."],
  ["/search/code?q=x&level=paragraph", "must be one of file, class, method, block"],
  ["/search/code?q=x&limit=5000", "limit must be at most 1000."],
  ["/sessions?limit=5000", "limit must be at most 1000."],
])("refuses %s and says what is wrong with which field", async (path, field) => {
  const reply = await send(path);
  expect(reply.status).toBe(400);
  expect(JSON.parse(reply.body).error).toMatchObject({
    code: "usage",
    message: expect.stringContaining(field),
  });
});

test("ignores fields it does not know and takes an empty body for an empty object", async () => {
  const reply = await send("/index/code", {
    method: "POST",
    body: JSON.stringify({ paths: ["a"], color: 1 }),
  });
  expect(reply.status).toBe(200);
  expect(handlers.index).toHaveBeenCalledWith({ paths: ["a"] }, expect.any(AbortSignal));
  expect((await send("/index/code", { method: "POST" })).status).toBe(200);
  expect(handlers.index).toHaveBeenLastCalledWith({}, expect.any(AbortSignal));
});

test("reports invalid requests in JSON, with the right status", async () => {
  const statusOf = async (...given: Parameters<typeof send>) => {
    const reply = await send(...given);
    expect(JSON.parse(reply.body).error.message).not.toBe("");
    return reply.status;
  };
  expect(await statusOf("/index/code", { method: "POST", body: "{" })).toBe(400);
  expect(await statusOf("/index/code", { method: "POST", body: "[]" })).toBe(400);
  expect(await statusOf("/nowhere")).toBe(404);
  expect(await statusOf("/shutdown")).toBe(405);
  expect(await statusOf("/index/code", { method: "POST", body: " ".repeat(largestBody + 1) })).toBe(413);
  expect(await statusOf("/status")).toBe(500);
});

test("takes bodies whose length is not declared, and requests that declare no body", async () => {
  const chunked = { "transfer-encoding": "chunked" };
  const body = JSON.stringify({ paths: ["ä"] });
  expect((await send("/index/code", { method: "POST", headers: chunked, body })).status).toBe(200);
  expect(handlers.index).toHaveBeenLastCalledWith({ paths: ["ä"] }, expect.any(AbortSignal));
  const large = await send("/index/code", {
    method: "POST",
    headers: chunked,
    body: " ".repeat(largestBody + 1),
  });
  expect(large.status).toBe(413);

  // As curl -X POST sends it.
  const socket = connect(record.port, "127.0.0.1");
  const authorization = `Authorization: Bearer ${record.token}`;
  socket.end(
    `POST /index/code HTTP/1.1\r\nHost: 127.0.0.1:${record.port}\r\n${authorization}\r\n${placeHeader}: %2Fapp\r\n\r\n`,
  );
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1.1 200 /);
  expect(handlers.index).toHaveBeenLastCalledWith({}, expect.any(AbortSignal));
});

test.each([
  ["DELETE", "/queue", "GET"],
  ["PUT", "/search/code", "GET, POST"],
  ["POST", "/status", "GET"],
  ["PATCH", "/sessions/one", "GET"],
])("answers %s %s with the methods that are allowed", async (method, path, allow) => {
  const reply = await send(path, { method });
  expect(reply.status).toBe(405);
  expect(reply.headers.allow).toBe(allow);
  expect(JSON.parse(reply.body).error.code).toBe("not_found");
});

test("passes the daemon's errors to its client unchanged", async () => {
  handlers.search.mockImplementationOnce(() => {
    throw new PommelError("usage", "No word.", "Say one.");
  });
  await expect(callDaemon(project.root, searchCode, { q: "?" })).rejects.toMatchObject({
    code: "usage",
    message: "No word.",
    hint: "Say one.",
  });
});

test("takes the same port each time, and the next one when it is taken", async () => {
  const { stateDir } = locateHome();
  expect(computePreferredPort(stateDir)).toBe(computePreferredPort(stateDir));
  expect(record.port).toBeGreaterThanOrEqual(17_000);
  const second = createHttpServer();
  others.push(second);
  expect(await listen(second, stateDir, 0)).not.toBe(record.port);
  const third = createHttpServer();
  others.push(third);
  await expect(listen(third, stateDir, record.port)).rejects.toMatchObject({
    code: "daemon_start_failed",
  });
});

test("keeps its record for its owner only, and removes no other daemon's", () => {
  writeRecord(record);
  expect(statSync(locateDaemonFiles().record).mode & 0o777).toBe(0o600);
  expect(readDaemonRecord()).toEqual(record);
  removeRecord({ ...record, token: "other" });
  expect(readDaemonRecord()).toEqual(record);
  removeRecord(record);
  expect(readDaemonRecord()).toBeNull();
});

test.each([
  "",
  "{",
  '{"pid": -1}',
  '{"pid": 1, "port": 99999999, "token": "x", "started_at": "", "version": ""}',
])("takes a senseless daemon.json (%s) for none", (text) => {
  writeFileSync(locateDaemonFiles().record, text);
  expect(readDaemonRecord()).toBeNull();
});

test("opens the place that a request names, in its header or its query, and no other", async () => {
  const place = join(project.root, "ä b");
  const headers = { "x-pommel-place": encodeURIComponent(place) };
  expect((await send("/queue", { headers })).status).toBe(200);
  expect(opened).toHaveBeenLastCalledWith(place);
  const inQuery = `/search/code?q=x&directory=${encodeURIComponent("/code/other")}`;
  expect((await send(inQuery, { headers: { "x-pommel-place": undefined } })).status).toBe(200);
  expect(opened).toHaveBeenLastCalledWith("/code/other");
  expect(handlers.search).toHaveBeenLastCalledWith({ q: "x" }, expect.any(AbortSignal));
});

test.each([undefined, "", "code%2Fapp", "."])("refuses a request about the place %s", async (place) => {
  const reply = await send("/queue", { headers: { "x-pommel-place": place } });
  expect(reply.status).toBe(400);
  expect(JSON.parse(reply.body).error).toMatchObject({ code: "usage" });
  expect(opened).not.toHaveBeenCalled();
});

test("opens no place for a request about the daemon itself", async () => {
  await expect(callDaemon(null, readSpool, {})).resolves.toEqual({ taken: true });
  expect(opened).not.toHaveBeenCalled();
});

/** Another server on the daemon's socket. */
async function replaceLocal(other: Server): Promise<void> {
  local.closeAllConnections();
  await new Promise((resolve) => local.close(resolve));
  local = other;
  await listenOnSocket(other, locateSocket());
}

test("its socket is its owner's only, and one that a killed daemon left is replaced", async () => {
  const socket = locateSocket();
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
  await replaceLocal(createHttpServer());
  writeFileSync(join(dirname(socket), "left.sock"), "");
  const after = createHttpServer();
  others.push(after);
  await listenOnSocket(after, join(dirname(socket), "left.sock"));
});

test("a client asks no socket that others could have put there", async () => {
  chmodSync(locateHome().stateDir, 0o755);
  await expect(callDaemon(project.root, showQueue, {})).rejects.toMatchObject({ reason: "not_running" });
  expect(handlers.queue).not.toHaveBeenCalled();
  chmodSync(locateHome().stateDir, 0o700);
  await expect(callDaemon(project.root, showQueue, {})).resolves.toEqual(idle);
});

test("distinguishes no daemon, a foreign one and a silent one", async () => {
  const asked = (timeoutMs = 5000) => callDaemon(project.root, showQueue, {}, timeoutMs);
  for (const text of ["<html>", "{}", "\u001b]0;title\u0007"]) {
    await replaceLocal(createHttpServer((_, response) => response.end(text)));
    await expect(asked()).rejects.toMatchObject({
      reason: "foreign",
      message: "What answers is not the Pommel daemon.",
    });
  }
  await replaceLocal(
    createNetServer((socket) => socket.end("no HTTP\r\n\r\n").on("error", () => {})) as Server,
  ).catch(() => {});
  await expect(asked()).rejects.toMatchObject({ reason: "foreign" });
  local = createHttpServer();
  rmSync(locateSocket(), { force: true });
  await expect(asked()).rejects.toMatchObject({ reason: "not_running" });
  await listenOnSocket(local, locateSocket());
  await expect(asked(50)).rejects.toMatchObject({ code: "daemon_unreachable", reason: "timeout" });
});

/** Signs in as the page's first script does. @returns the headers of the page's requests */
async function signIn() {
  const origin = `http://127.0.0.1:${record.port}`;
  const { status, body } = await send("/page/session", {
    method: "POST",
    headers: { origin, authorization: undefined },
    body: JSON.stringify({ code: pages.createCode() }),
  });
  expect(status).toBe(200);
  return { authorization: `Bearer ${JSON.parse(body).token}`, origin };
}

test("a code signs the page in, once, from its own origin only", async () => {
  const code = pages.createCode();
  const body = JSON.stringify({ code });
  const exchange = (headers: object) =>
    send("/page/session", { method: "POST", headers: { authorization: undefined, ...headers }, body });
  const { port } = record;
  expect((await exchange({ origin: "http://127.0.0.1:1" })).status).toBe(403);
  expect((await exchange({ host: "evil.example" })).status).toBe(403);
  // It may lead to ::1, where another user can listen on the same port.
  expect((await exchange({ host: `localhost:${port}`, origin: `http://localhost:${port}` })).status).toBe(
    403,
  );
  expect((await exchange({})).status).toBe(401);
  const first = await exchange({ origin: `http://127.0.0.1:${port}` });
  expect(first).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
  expect(first.headers).not.toHaveProperty("set-cookie");
  const { token } = JSON.parse(first.body);
  expect((await send("/queue", { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);

  const again = await exchange({ origin: `http://127.0.0.1:${port}` });
  expect(again.status).toBe(401);
  expect(JSON.parse(again.body).error.hint).toContain("pm open");
  expect((await send("/queue", { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
});

test("answers the page that is signed in, until it is signed out", async () => {
  const headers = await signIn();
  expect((await send("/queue", { headers })).status).toBe(200);
  expect((await send("/index/code", { method: "POST", headers })).status).toBe(200);
  pages.signOut();
  expect((await send("/queue", { headers })).status).toBe(401);
});

test.each([
  ["another origin", { origin: "http://127.0.0.1:1" }],
  ["localhost", { origin: "http://localhost" }],
  ["DNS rebinding", { host: "evil.example" }],
])("refuses the page's token from %s", async (_, changed) => {
  const headers = { ...(await signIn()), ...changed };
  expect((await send("/queue", { headers })).status).toBe(403);
  expect(handlers.queue).not.toHaveBeenCalled();
});

test("a browser that is signed out hears no more of what is written", async () => {
  const { authorization } = await signIn();
  const following = send("/live", { headers: { authorization } });
  await vi.waitFor(() => expect(handlers.state).toHaveBeenCalled());
  pages.signOut();
  const { status, body } = await following;
  expect(status).toBe(200);
  expect(body.match(/^event:/gm) ?? []).toHaveLength(1);
});

test.each(["/shutdown", "/command", "/spool", "/page/code"])("refuses POST %s to the page", async (path) => {
  const headers = await signIn();
  const body = JSON.stringify({
    args: ["status"],
    cwd: "/",
    columns: null,
    color: [false, false],
    settings: {},
  });
  const reply = await send(path, { method: "POST", headers, body });
  expect(reply.status).toBe(403);
  expect(handlers.spool).not.toHaveBeenCalled();
  expect(handlers.pageCode).not.toHaveBeenCalled();
});

test("serves the page without token, and nothing beside it", async () => {
  mkdirSync(join(home.dir, "ui/assets"), { recursive: true });
  writeFileSync(join(home.dir, "ui/index.html"), "<p>page");
  writeFileSync(join(home.dir, "ui/assets/a-1.js"), "1");
  const anybody = { authorization: undefined };
  const page = await send("/", { headers: anybody });
  expect(page).toMatchObject({ status: 200, body: "<p>page", headers: { "cache-control": "no-store" } });
  const asset = await send("/assets/a-1.js", { headers: anybody });
  expect(asset.headers["content-type"]).toMatch("text/javascript");
  for (const path of [
    "/assets/..%2findex.html",
    "/assets/..%2f..%2fdaemon.json",
    "/assets/%2e%2e/index.html",
  ]) {
    expect([401, 404]).toContain((await send(path, { headers: anybody })).status);
  }
  expect((await send("/", { headers: { ...anybody, host: "evil.example" } })).status).toBe(403);
  expect((await send("/queue", { headers: anybody })).status).toBe(401);
});

test("says how the page is built where it is not", async () => {
  const reply = await send("/");
  expect(reply.status).toBe(404);
  expect(JSON.parse(reply.body).error.hint).toContain("npm run build");
});

test.each(["/", "/queue", "/nowhere"])(
  "allows no script or address from elsewhere, and no frame but VS Code's, in %s",
  async (path) => {
    const { headers } = await send(path);
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; " +
        "img-src 'self' data:; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors vscode-webview: vscode-file:",
    );
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
    });
  },
);

test("no answer about the project is kept by a browser", async () => {
  expect((await send("/queue")).headers["cache-control"]).toBe("no-store");
});
