import { timingSafeEqual } from "node:crypto";
import type { Server } from "node:http";
import { isAbsolute } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { compress } from "hono/compress";
import { streamSSE } from "hono/streaming";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import * as z from "zod/mini";
import { answerThroughChannel, getRequestContext } from "../../answers/channel.ts";
import type { Answerer } from "../../answers/here.ts";
import type { Operation, RequestOf } from "../../answers/operation.ts";
import { type ErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { operations } from "../../features/index.ts";
import { signInRequest } from "../../features/page/operation.ts";
import { readState } from "../../features/status/operation.ts";
import { livePath, operationsPath, signInPath } from "../../protocol/addresses.ts";
import { channelHeader, findChannel, placeHeader, placeParameter } from "../../protocol/channel.ts";
import type { DaemonRecord } from "../../protocol/daemon-record.ts";
import { largestBody } from "../../protocol/http.ts";
import { describeProblem } from "../../protocol/problem-in.ts";
import { parseUrlRequest } from "../../protocol/request-fields.ts";
import {
  namedFiles,
  type PageAccess,
  type PageFile,
  readAsset,
  readNamedFile,
  securityHeaders,
} from "./page.ts";

/** The headers that say where a request comes from, by their names in lower case. */
type RequestOrigin = Readonly<Record<string, string | undefined>>;

/** What the server keeps of a request. */
type Served = { Variables: { asker: Asker } };

/** Who asks: a program that knows the token, or the local page in a browser. */
type Asker = "program" | "page";

/**
 * Refuses requests of other web pages: they use another host name (DNS rebinding) or send their own `Origin`. `localhost` counts
 * as another name: it may lead to ::1, where anybody can listen on the same port.
 * @throws PommelError `forbidden`
 */
function guardAddress({ host, origin }: RequestOrigin, port: number): void {
  const ours = `127.0.0.1:${port}`;
  if (host !== ours) {
    throw new PommelError("forbidden", "The Host header names another server.", `Use http://${ours}.`);
  }
  if (origin !== undefined && origin !== `http://${ours}`) {
    throw new PommelError("forbidden", "Requests from other origins are refused.");
  }
}

/**
 * Refuses every request that comes neither from a program of this user nor from the page. Both have a token, which a browser sends
 * neither for another page nor to another port.
 * @throws PommelError `unauthorized`
 */
function guardAccess({ authorization }: RequestOrigin, token: string, pages: PageAccess): Asker {
  if (isToken(authorization, token)) return "program";
  if (pages.findBrowser(authorization) !== null) return "page";
  throw new PommelError(
    "unauthorized",
    "The token is missing or wrong.",
    "Send `Authorization: Bearer <token>` with the token of daemon.json in the state directory (`pm status` names it); for the page in a browser, run `pm open`.",
  );
}

function isToken(authorization: string | undefined, token: string): boolean {
  const given = Buffer.from(authorization ?? "");
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

interface HttpServerOptions {
  /** This daemon's record; null until the port is known. */
  record: () => DaemonRecord | null;
  answer: Answerer;
  /** Whether this serves the socket, which only programs of its owner can reach, and not the page. */
  isSocket: boolean;
  /** Who may use the page, and the directory of its files. */
  pages: PageAccess;
  pageDir: string;
  /** Called for each request that passed the guard. */
  onRequest: () => void;
  log: Logger;
}

/** How often to look for news for the browsers that follow them. Milliseconds. */
const liveMs = 1000;

const statusOf: Partial<Record<ErrorCode, ContentfulStatusCode>> = {
  usage: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  locked: 409,
  not_indexed: 503,
  no_memory: 503,
  memory_missing: 503,
  capture_off: 503,
  schema_outdated: 503,
  daemon_starting: 503,
  index_corrupt: 503,
  index_too_new: 503,
  memory_corrupt: 503,
  unreadable: 503,
  git_failed: 503,
  no_git_history: 404,
  disk_full: 507,
  busy: 503,
};

/** Refuses requests that do not fit their operation, or that do not name the project. Passes the rest on to `answer`. */
export function checkRequests(answer: Answerer): Answerer {
  return async (place, operation, given, signal) => {
    const request = read(operation.request(), given) as RequestOf<typeof operation>;
    const needsPlace = operation.of !== "daemon" && operation.of !== "machine";
    if (needsPlace && (place === null || !isAbsolute(place))) {
      throw new PommelError(
        "usage",
        "The request does not say which project it is about.",
        `Send the header ${placeHeader}: a directory in it, absolute, as encodeURIComponent gives it.`,
      );
    }
    return answer(place, operation, request, signal);
  };
}

/** @throws PommelError `usage`, which names the field */
function read<S extends z.ZodMiniType>(shape: S, given: unknown): z.infer<S> {
  const parsed = z.safeParse(shape, given);
  if (parsed.success) return parsed.data;
  // A person who typed a command has no use for the HTTP contract.
  const hint =
    getRequestContext().channel === "http" ? "See docs/http.md." : "Give another value, and try again.";
  throw new PommelError("usage", describeProblem(parsed.error.issues[0]!, given, "field"), hint);
}

/** The daemon's HTTP server, not listening yet. */
export function createServer(options: HttpServerOptions): Server {
  const { fetch } = createApp(options);
  // Leave the platform's own Request and Response alone: other code in this process uses them.
  return createAdaptorServer({ fetch, overrideGlobalObjects: false }) as Server;
}

/** Serves the page and the routes of `protocol/`, guarded. Every error is answered with the JSON that `protocol/` promises. */
function createApp({ record, answer, isSocket, pages, pageDir, onRequest, log }: HttpServerOptions) {
  const app = new Hono<Served>();
  const readPlace = (context: Context): string | null => {
    const given = context.req.header(placeHeader) ?? context.req.query(placeParameter);
    try {
      return given === undefined ? null : decodeURIComponent(given);
    } catch {
      return null;
    }
  };

  const us = () => {
    const ours = record();
    if (!ours) throw new PommelError("daemon_starting", "The daemon is starting.", "Try again.");
    return ours;
  };
  if (!isSocket) app.use(compress());
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(securityHeaders)) context.header(name, value);
    if (isSocket) us();
    else guardAddress(context.req.header(), us().port);
    await next();
  });

  // The page's own files are the same for everybody, and contain nothing of a project, so nobody needs a token for them.
  for (const [path, name] of Object.entries(namedFiles))
    app.get(path, async (context) => sendFile(context, await readNamedFile(pageDir, name)));
  app.get("/assets/:name", async (context) =>
    sendFile(context, await readAsset(pageDir, context.req.param("name"))),
  );
  app.post(signInPath, async (context) => {
    const { code } = read(signInRequest(), await readBody(context));
    const { origin, authorization, "user-agent": userAgent } = context.req.header();
    const token =
      origin === undefined ? null : pages.signIn(code, userAgent, pages.findBrowser(authorization));
    if (token === null) {
      throw new PommelError(
        "unauthorized",
        "This link was used before, or is too old.",
        "Run `pm open` again. If somebody else used it, that browser is signed out now.",
      );
    }
    context.header("cache-control", "no-store");
    return context.json({ token });
  });

  app.use(async (context, next) => {
    const asker = isSocket ? "program" : guardAccess(context.req.header(), us().token, pages);
    context.set("asker", asker);
    context.header("cache-control", "no-store");
    onRequest();
    const named = findChannel(context.req.header(channelHeader));
    await answerThroughChannel(asker === "page" ? "page" : (named ?? "http"), next);
  });

  const answerPost = (operation: Operation) => async (context: Context) =>
    context.json(
      await answer(readPlace(context), operation, await readBody(context), context.req.raw.signal),
    );
  for (const operation of operations.values()) {
    // Ids of subagents' sessions contain a slash.
    const path = operation.path.replace(/:\w+/, "$&{.+}");
    const ownPath = `${operationsPath}/${operation.name}`;
    if (operation.audience !== "everybody" && !operation.onPage) {
      for (const one of [path, ownPath]) app.use(one, refusePage);
    }
    app.post(ownPath, answerPost(operation));
    if (operation.methods.includes("POST")) app.post(path, answerPost(operation));
    if (operation.methods.includes("GET")) {
      app.get(path, async (context) => {
        const { searchParams } = new URL(context.req.url);
        searchParams.delete(placeParameter);
        const given = parseUrlRequest(operation.request(), searchParams);
        const request = { ...given, ...context.req.param() };
        return context.json(await answer(readPlace(context), operation, request, context.req.raw.signal));
      });
    }
    app.all(path, (context) => {
      context.header("allow", operation.methods.join(", "));
      return refuse(context, makeNoRouteError(context), 405);
    });
  }

  app.get(livePath, (context) => {
    const place = readPlace(context);
    const isSignedIn = () =>
      context.get("asker") === "program" || pages.findBrowser(context.req.header("authorization")) !== null;
    return streamSSE(context, async (stream) => {
      // The id of the last event says which state the browser has, even after it reconnects.
      let seen = context.req.header("last-event-id");
      while (!stream.aborted && !stream.closed && isSignedIn()) {
        const data = JSON.stringify(await answer(place, readState, {}));
        if (data !== seen) await stream.writeSSE({ id: data, event: "state", data });
        seen = data;
        await stream.sleep(liveMs);
      }
    });
  });

  app.get("/openapi.json", async (context) => {
    const { openApi } = await import("./openapi.ts");
    return context.json(openApi());
  });

  app.notFound((context) => refuse(context, makeNoRouteError(context), 404));

  app.onError((thrown, context) => {
    if (thrown instanceof BodyTooLarge) return refuse(context, thrown, 413);
    if (thrown instanceof PommelError) return refuse(context, thrown, statusOf[thrown.code] ?? 500);
    // Nobody waits for the answer any more.
    if (context.req.raw.signal.aborted) return context.body(null);
    log.error(`${context.req.method} ${context.req.path}: ${thrown.stack ?? getErrorMessage(thrown)}`);
    return refuse(
      context,
      new PommelError("internal", getErrorMessage(thrown), "See `pm daemon logs`."),
      500,
    );
  });

  return app;
}

/** Refuses the page: a browser has no use for these routes. */
const refusePage: MiddlewareHandler<Served> = async (context, next) => {
  if (context.get("asker") === "page") throw new PommelError("forbidden", "Only programs may call this.");
  await next();
};

class BodyTooLarge extends PommelError {
  constructor() {
    super("usage", `The request exceeds ${largestBody} bytes.`, "Send less at once.");
  }
}

/** A POST's JSON; an empty body is an empty object. */
async function readBody(context: Context): Promise<Record<string, unknown>> {
  const text = await readText(context.req.raw);
  if (text.trim() === "") return {};
  try {
    // The schema refuses any value that is not an object.
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new PommelError("usage", "The body is not valid JSON.", "", { cause: error });
  }
}

/**
 * A body's text, read up to its maximum length. hono's own `bodyLimit` would build a new `Request` from one whose
 * length is not declared, which fails as long as the platform's `Request` is left alone (see `createServer`).
 */
async function readText({ headers, body }: Request): Promise<string> {
  if (Number(headers.get("content-length")) > largestBody) throw new BodyTooLarge();
  const reader = body?.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    size += part.value.length;
    if (size > largestBody) throw new BodyTooLarge();
    parts.push(part.value);
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}

function sendFile(context: Context, file: PageFile | null) {
  if (file !== null) return context.body(file.content, 200, file.headers);
  const isPage = context.req.path === "/";
  if (!isPage) return refuse(context, makeNoRouteError(context), 404);
  return refuse(context, new PommelError("not_found", "The page is not built.", "Run `npm run build`."), 404);
}

const makeNoRouteError = ({ req }: Context) =>
  new PommelError("not_found", `There is no ${req.method} ${req.path}.`, "See docs/http.md.");

function refuse(context: Context, { code, message, hint }: PommelError, status: ContentfulStatusCode) {
  return context.json({ error: { code, message, hint } }, status);
}
