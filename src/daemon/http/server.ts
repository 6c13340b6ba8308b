import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import * as z from "zod/mini";
import en from "zod/v4/locales/en.js";
import { type ErrorCode, messageOf, PommelError } from "../../project/errors.ts";
import type { Logger } from "../../project/log.ts";
import type { DaemonRecord } from "../../protocol/daemon-record.ts";
import type { RouteName } from "../../protocol/endpoints.ts";
import {
  largestBody,
  type RequestOf,
  type ResponseOf,
  requestFromUrl,
  routes,
} from "../../protocol/routes.ts";
import { guard } from "./guard.ts";

/** The daemon behind the routes. */
export type Handlers = {
  [R in RouteName]: (request: RequestOf<R>, signal?: AbortSignal) => ResponseOf<R> | Promise<ResponseOf<R>>;
};

interface ServerOptions {
  /** This daemon's record; null until the port is known. */
  record: () => DaemonRecord | null;
  answer: Answer;
  /** Called for each request that passed the guard. */
  onRequest: () => void;
  log: Logger;
}

/** Routes that answer a GET as well. */
const searches: ReadonlySet<RouteName> = new Set([
  "search",
  "searchTranscripts",
  "searchHistory",
  "searchAll",
]);

/** zod/mini has no messages of its own. */
const inEnglish = en().localeError;

const statusOf: Partial<Record<ErrorCode, ContentfulStatusCode>> = {
  usage: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  locked: 409,
  not_indexed: 503,
  no_memory: 503,
  capture_off: 503,
  schema_outdated: 503,
  daemon_starting: 503,
  index_corrupt: 503,
  index_too_new: 503,
  memory_corrupt: 503,
  unreadable: 503,
  disk_full: 507,
};

/** Answers a route's request, or refuses an invalid one. */
export type Answer = <R extends RouteName>(
  route: R,
  given: unknown,
  signal?: AbortSignal,
) => Promise<ResponseOf<R>>;

export function answerWith(handlers: Handlers): Answer {
  return async (name, given, signal) => {
    const parsed = z.safeParse(routes[name].request(), given, { error: inEnglish });
    if (!parsed.success) {
      const { path, message } = parsed.error.issues[0]!;
      throw new PommelError("usage", `${path.join(".") || "The request"}: ${message}.`, "See docs/http.md.");
    }
    return handlers[name](parsed.data as RequestOf<typeof name>, signal);
  };
}

/** The daemon's HTTP server, not listening yet. */
export function createServer(options: ServerOptions): Server {
  const { fetch } = createApp(options);
  // The platform's own Request and Response stay as they are: nothing else in the process is ours to change.
  return createAdaptorServer({ fetch, overrideGlobalObjects: false }) as Server;
}

/** The routes of `protocol.ts`, guarded, with every error as the JSON that it promises. */
function createApp({ record, answer, onRequest, log }: ServerOptions): Hono {
  const app = new Hono();

  app.use(async (context, next) => {
    const us = record();
    if (!us) throw new PommelError("daemon_starting", "The daemon is starting.", "Try again.");
    const { host, origin, authorization } = context.req.header();
    guard({ host, origin, authorization }, us.port, us.token);
    onRequest();
    await next();
  });

  for (const name of Object.keys(routes) as RouteName[]) {
    const { method, path: plainPath } = routes[name];
    // Ids of subagents' sessions contain a slash.
    const path = plainPath.replace(/:\w+/, "$&{.+}");
    const allowed = searches.has(name) ? ["POST", "GET"] : [method];
    if (allowed.includes("POST")) {
      app.post(path, async (context) =>
        context.json(await answer(name, await bodyOf(context), context.req.raw.signal)),
      );
    }
    if (allowed.includes("GET")) {
      app.get(path, async (context) => {
        const given = requestFromUrl(name, new URL(context.req.url).searchParams);
        const request = { ...given, ...context.req.param() };
        return context.json(await answer(name, request, context.req.raw.signal));
      });
    }
    app.all(path, (context) => {
      context.header("allow", allowed.join(", "));
      return refuse(context, noRoute(context), 405);
    });
  }

  app.get("/openapi.json", async (context) => {
    const { openApi } = await import("../../protocol/openapi.ts");
    return context.json(openApi());
  });

  app.notFound((context) => refuse(context, noRoute(context), 404));

  app.onError((thrown, context) => {
    if (thrown instanceof BodyTooLarge) return refuse(context, thrown, 413);
    if (thrown instanceof PommelError) return refuse(context, thrown, statusOf[thrown.code] ?? 500);
    // Nobody waits for the answer any more.
    if (context.req.raw.signal.aborted) return context.body(null);
    log.error(`${context.req.method} ${context.req.path}: ${thrown.stack ?? messageOf(thrown)}`);
    return refuse(context, new PommelError("internal", messageOf(thrown), "See .pommel/log/."), 500);
  });

  return app;
}

class BodyTooLarge extends PommelError {
  constructor() {
    super("usage", `The request exceeds ${largestBody} bytes.`, "Send less at once.");
  }
}

/** A POST's JSON; an empty body is an empty object. */
async function bodyOf(context: Context): Promise<unknown> {
  const text = await textOf(context.req.raw);
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PommelError("usage", "The body is not valid JSON.", "", { cause: error });
  }
}

/**
 * A body's text, read up to its maximum length. hono's own `bodyLimit` would build a new `Request` from one whose
 * length is not declared, which fails as long as the platform's `Request` is left alone (see `createServer`).
 */
async function textOf({ headers, body }: Request): Promise<string> {
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

const noRoute = ({ req }: Context) =>
  new PommelError("not_found", `There is no ${req.method} ${req.path}.`, "See docs/http.md.");

function refuse(context: Context, { code, message, hint }: PommelError, status: ContentfulStatusCode) {
  return context.json({ error: { code, message, hint } }, status);
}
