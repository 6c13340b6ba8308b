import * as z from "zod/mini";
import * as lines from "./blame.ts";
import * as checkpoints from "./checkpoints.ts";
import { contextRequest, contextResponse } from "./context.ts";
import * as daemon from "./daemon.ts";
import * as decisions from "./decisions.ts";
import { endpoints, type RouteName } from "./endpoints.ts";
import * as events from "./events.ts";
import * as search from "./search.ts";
import * as sessions from "./sessions.ts";
import { lazy, name } from "./shape-parts.ts";
import { statsAnswer, statsRequest } from "./stats.ts";
import * as status from "./status.ts";

/**
 * The daemon's HTTP contract: every route with the shape of its request and its response. The daemon and
 * its clients both import it from here; docs/http.md says the same in words. Fields that are not named here
 * are ignored on both sides, so that a newer side may add some.
 */

/** Larger request bodies are refused. Bytes. */
export const largestBody = 1_048_576;

/** The body of every response that is not 2xx. */
const errorBody = lazy(() =>
  z.object({
    error: z.object({ code: z.string(), message: z.string(), hint: z.string() }),
  }),
);

const empty = lazy(() => z.object({}));

/** An operation as it is served: where, what it is for, what it takes and gives. */
export interface Route {
  method: "GET" | "POST";
  path: string;
  /** One line, for people who read the contract. */
  summary: string;
  request: () => z.ZodMiniObject;
  response: () => z.ZodMiniObject;
}

/** Every operation. */
export const routes = {
  search: {
    ...endpoints.search,
    summary: "Find code by meaning, words and names",
    request: search.searchRequest,
    response: search.searchResponse,
  },
  searchTranscripts: {
    ...endpoints.searchTranscripts,
    summary: "Find what was said in past sessions",
    request: search.transcriptSearchRequest,
    response: search.transcriptSearchResponse,
  },
  searchAll: {
    ...endpoints.searchAll,
    summary: "Find both code and sessions",
    request: search.searchAllRequest,
    response: search.searchAllResponse,
  },
  index: {
    ...endpoints.index,
    summary: "Index files again",
    request: daemon.indexRequest,
    response: daemon.indexResponse,
  },
  indexTranscript: {
    ...endpoints.indexTranscript,
    summary: "Import a session",
    request: sessions.indexTranscriptRequest,
    response: sessions.indexTranscriptResponse,
  },
  annotate: {
    ...endpoints.annotate,
    summary: "Write a note",
    request: sessions.annotateRequest,
    response: sessions.annotateResponse,
  },
  sessionStart: {
    ...endpoints.sessionStart,
    summary: "Register a session that begins",
    request: sessions.sessionStartRequest,
    response: sessions.sessionStartResponse,
  },
  sessions: {
    ...endpoints.sessions,
    summary: "List sessions, the latest first",
    request: sessions.sessionsRequest,
    response: sessions.sessionsResponse,
  },
  session: {
    ...endpoints.session,
    summary: "Show a session, or one of its turns in full",
    request: sessions.sessionRequest,
    response: sessions.sessionResponse,
  },
  annotations: {
    ...endpoints.annotations,
    summary: "List notes, the latest first",
    request: sessions.annotationsRequest,
    response: sessions.annotationsResponse,
  },
  decisions: {
    ...endpoints.decisions,
    summary: "List decisions and notes, the latest first, or the best for a question",
    request: decisions.decisionsRequest,
    response: decisions.decisionsAnswer,
  },
  related: {
    ...endpoints.related,
    summary: "Find sessions that touched files",
    request: decisions.relatedRequest,
    response: decisions.relatedAnswer,
  },
  why: {
    ...endpoints.why,
    summary: "Explain why lines exist",
    request: lines.whyRequest,
    response: lines.whyAnswer,
  },
  blame: {
    ...endpoints.blame,
    summary: "Show who wrote each line of a file: which agent and session, or which person",
    request: lines.blameRequest,
    response: lines.blameAnswer,
  },
  stats: {
    ...endpoints.stats,
    summary: "Count the lines that agents and people committed",
    request: statsRequest,
    response: statsAnswer,
  },
  checkpoints: {
    ...endpoints.checkpoints,
    summary: "List the commits that sessions produced, the latest first",
    request: checkpoints.checkpointsRequest,
    response: checkpoints.checkpointsAnswer,
  },
  checkpoint: {
    ...endpoints.checkpoint,
    summary: "Show a checkpoint: its commit, sessions, turns and files",
    request: checkpoints.checkpointRequest,
    response: checkpoints.checkpointAnswer,
  },
  compare: {
    ...endpoints.compare,
    summary: "Compare two checkpoints or commits, with the sessions between them",
    request: checkpoints.diffRequest,
    response: checkpoints.diffAnswer,
  },
  rewindPreview: {
    ...endpoints.rewindPreview,
    summary: "Show what going back to a checkpoint or commit would change",
    request: checkpoints.rewindRequest,
    response: checkpoints.rewindAnswer,
  },
  events: {
    ...endpoints.events,
    summary: "List events: named groups of sessions and checkpoints",
    request: events.eventsRequest,
    response: events.eventsAnswer,
  },
  event: {
    ...endpoints.event,
    summary: "Show an event with its sessions and checkpoints",
    request: events.eventRequest,
    response: events.eventAnswer,
  },
  context: {
    ...endpoints.context,
    summary: "Get the memory that matters at this moment of a session",
    request: contextRequest,
    response: contextResponse,
  },
  status: {
    ...endpoints.status,
    summary: "Show the state of the index, the memory and the daemon",
    request: empty,
    response: status.statusResponse,
  },
  queue: {
    ...endpoints.queue,
    summary: "Show pending and failed jobs",
    request: empty,
    response: status.queueResponse,
  },
  retry: {
    ...endpoints.retry,
    summary: "Retry or discard failed jobs",
    request: status.retryRequest,
    response: status.retryResponse,
  },
  forget: {
    ...endpoints.forget,
    summary: "Forget sessions, or show what would be forgotten",
    request: sessions.forgetRequest,
    response: sessions.forgetResponse,
  },
  scrub: {
    ...endpoints.scrub,
    summary: "Scrub the memory again with the patterns of now",
    request: empty,
    response: daemon.rescrubResponse,
  },
  command: {
    ...endpoints.command,
    summary: "Run a command of pm that only reads; for pm itself",
    request: daemon.commandRequest,
    response: daemon.commandResponse,
  },
  spool: {
    ...endpoints.spool,
    summary: "Read what hooks left; for hooks",
    request: empty,
    response: daemon.spoolResponse,
  },
  reloadSettings: {
    ...endpoints.reloadSettings,
    summary: "Apply changed settings",
    request: empty,
    response: daemon.reloadResponse,
  },
  shutdown: {
    ...endpoints.shutdown,
    summary: "Stop the daemon",
    request: empty,
    response: daemon.shutdownResponse,
  },
} satisfies Record<RouteName, Route>;

export type RequestOf<R extends RouteName> = z.infer<ReturnType<(typeof routes)[R]["request"]>>;
export type ResponseOf<R extends RouteName> = z.infer<ReturnType<(typeof routes)[R]["response"]>>;

/** The body of a 200, or null when it is not what the route gives: somebody else answered. */
export function readResponse<R extends RouteName>(route: R, body: unknown): ResponseOf<R> | null {
  const parsed = z.safeParse(routes[route].response(), body);
  return parsed.success ? (parsed.data as ResponseOf<R>) : null;
}

/** The error in the body of any other response, or null when it is none of ours. */
export function readRefusal(body: unknown): { code: string; message: string; hint: string } | null {
  const parsed = z.safeParse(errorBody(), body);
  return parsed.success ? parsed.data.error : null;
}

/**
 * The request that a query string asks for. Lists may be repeated or, where their values can hold no comma, comma separated.
 * @returns what the route's schema judges; values that make no sense are left in for it to refuse
 */
export function requestFromUrl(route: RouteName, parameters: URLSearchParams): Record<string, unknown> {
  const shape: Record<string, z.core.$ZodType> = routes[route].request().shape;
  const request: Record<string, unknown> = {};
  for (const name of new Set(parameters.keys())) {
    const [first = ""] = parameters.getAll(name);
    const field = shape[name] === undefined ? null : required(shape[name]);
    if (field instanceof z.core.$ZodArray) {
      const values = parameters
        .getAll(name)
        .flatMap((value) => (holdsComma(field) ? [value] : value.split(",")));
      request[name] = values.filter((value) => value !== "");
    } else if (field instanceof z.core.$ZodNumber) request[name] = Number(first || Number.NaN);
    else if (field instanceof z.core.$ZodBoolean) request[name] = !["0", "false"].includes(first);
    else request[name] = first;
  }
  return request;
}

function required(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.core.$ZodOptional ? required(schema._zod.def.innerType) : schema;
}

/** Paths and globs may, values of an enumeration and names do not. */
function holdsComma(list: z.core.$ZodArray): boolean {
  const { element } = list._zod.def;
  return !(element instanceof z.core.$ZodEnum || element === name);
}
