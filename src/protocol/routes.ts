import * as z from "zod/mini";
import { levels } from "../project/levels.ts";
import { maxResults } from "../project/max-results.ts";
import * as lines from "./blame.ts";
import * as checkpoints from "./checkpoints.ts";
import { contextRequest, contextResponse } from "./context.ts";
import * as decisions from "./decisions.ts";
import { endpoints, type RouteName } from "./endpoints.ts";
import * as events from "./events.ts";
import * as sessions from "./sessions.ts";
import { count, lazy, numberOrNull, strings } from "./shape-parts.ts";
import { statsAnswer, statsRequest } from "./stats.ts";
import { confidences } from "./values.ts";

/**
 * The daemon's HTTP contract: every route with the shape of its request and its response. The daemon and
 * its clients both import it from here; docs/http.md says the same in words. Fields that are not named here
 * are ignored on both sides, so that a newer side may add some.
 */

/** Larger request bodies are refused. Bytes. */
export const largestBody = 1_048_576;

/** Without commas. */
const plainName = z.string();

/** The body of every response that is not 2xx. */
const errorBody = lazy(() =>
  z.object({
    error: z.object({ code: z.string(), message: z.string(), hint: z.string() }),
  }),
);

/** Left out: the project's configuration decides. */
const searchRequest = lazy(() =>
  z.object({
    q: z.string(),
    limit: z.optional(z.int().check(z.minimum(1), z.maximum(maxResults))),
    level: z.optional(z.array(z.enum(levels))),
    path: z.optional(strings),
    language: z.optional(z.array(plainName)),
    explain: z.optional(z.boolean()),
  }),
);
export type SearchRequest = z.infer<ReturnType<typeof searchRequest>>;

const codeResult = lazy(() =>
  z.object({
    id: z.string(),
    file: z.string(),
    start_line: z.number(),
    end_line: z.number(),
    level: z.enum(levels),
    language: z.string(),
    name: z.string(),
    score: z.number(),
    confidence: z.enum(confidences),
    probability: z.number(),
    content: z.string(),
    parent_id: z.nullable(z.string()),
    parent_name: z.nullable(z.string()),
    match_reasons: strings,
    freshness: z.enum(["fresh", "drifted"]),
    signals: z.optional(z.record(z.string(), z.number())),
  }),
);

/** How far what was searched may be behind the files. */
const indexAge = lazy(() =>
  z.object({
    /** Changes not yet indexed; null when nobody knows, because no daemon watches. */
    pending: z.nullable(count),
    /** False until the whole project was indexed once. */
    is_complete: z.boolean(),
    /** When the index was last known to match the files: ISO 8601, null for never. */
    as_of: z.nullable(z.string()),
  }),
);
export type IndexAge = z.infer<ReturnType<typeof indexAge>>;

const searchResponse = lazy(() =>
  z.object({
    query: z.string(),
    /** Empty where nothing answers the question. */
    results: z.array(codeResult()),
    /** What comes nearest to it then; no answer. */
    nearest: z.array(codeResult()),
    total_results: count,
    search_time_ms: z.number(),
    /** "words", and the id of each model that understood the query. */
    searched_by: strings,
    /** What a person should know: a model that could not be asked, and why. */
    notes: strings,
    index: indexAge(),
  }),
);
export type SearchResponse = z.infer<ReturnType<typeof searchResponse>>;

/** What either search takes; each goes by what it knows. */
const searchAllRequest = lazy(() => z.extend(searchRequest(), sessions.transcriptSearchRequest().shape));
export type SearchAllRequest = z.infer<ReturnType<typeof searchAllRequest>>;

const searchAllResponse = lazy(() =>
  z.object({
    scope: z.literal("all"),
    query: z.string(),
    /** null for a side that could not be searched; `notes` say why. */
    code: z.nullable(searchResponse()),
    transcripts: z.nullable(sessions.transcriptSearchResponse()),
    notes: strings,
  }),
);
export type SearchAllResponse = z.infer<ReturnType<typeof searchAllResponse>>;

/**
 * What to index. Nothing: look for changes now. `paths` (paths or globs): forget those files and index them
 * again. `full`: the same for everything.
 */
const indexRequest = lazy(() =>
  z.object({
    paths: z.optional(strings),
    full: z.optional(z.boolean()),
  }),
);

const indexResponse = lazy(() => z.object({ queued: z.literal(true), pending: count }));

const finishedFile = lazy(() =>
  z.object({
    path: z.string(),
    chunks: count,
    took_ms: z.number(),
    /** ISO 8601. */
    at: z.string(),
  }),
);

const queueStatus = lazy(() =>
  z.object({
    /** Files waiting or being worked on. */
    pending: count,
    /** Files finished since the queue was last empty, and how many it had in all. */
    done: count,
    total: count,
    /** A file being worked on. */
    processing: z.nullable(z.string()),
    rate_chunks_per_sec: z.number(),
    /** null: too early to tell. */
    eta_seconds: numberOrNull,
    /** True when everything that was seen is searchable, sessions as well as code. */
    is_idle: z.boolean(),
    /** The same of code alone. */
    code_is_idle: z.boolean(),
    last_error: z.nullable(z.string()),
    /** Newest first. */
    recent: z.array(finishedFile()),
  }),
);
export type QueueStatus = z.infer<ReturnType<typeof queueStatus>>;

/** The code's queue, and beside it that of conversations. */
const queueResponse = lazy(() =>
  z.extend(queueStatus(), {
    sessions: sessions.jobsStatus(),
    /** Sessions from before Pommel was here, which `pm import` takes in; null while they are being looked for. */
    past: z.nullable(z.object({ sessions: count, bytes: count, agents: z.optional(z.array(z.string())) })),
  }),
);
export type QueueResponse = z.infer<ReturnType<typeof queueResponse>>;

const autostartStatus = lazy(() =>
  z.object({
    /**
     * `ready`: the next use starts it. `off`: the configuration says no. `unapproved`: the project's own configuration has
     * its code sent to a server, and the user has not started it here yet. `ci`, `root`: never in CI, or as root for another
     * user's project. `stopped`: by `pm stop`. `starting`: now. `failed`: see `error`; it is tried again at `retry_at`.
     */
    state: z.enum(["ready", "off", "unapproved", "ci", "root", "stopped", "starting", "failed"]),
    /** One after the other; those that ended soon after they started count. */
    failed_starts: count,
    /** What kept it from starting; null when it started, and ended soon after. */
    error: z.nullable(z.string()),
    /** ISO 8601. */
    retry_at: z.nullable(z.string()),
  }),
);

const daemonStatus = lazy(() =>
  z.object({
    running: z.boolean(),
    pid: numberOrNull,
    port: numberOrNull,
    uptime_seconds: numberOrNull,
    /** Resident memory. */
    memory_bytes: numberOrNull,
    /** Whether the next hook or command starts it, and why not; left out while it runs. */
    autostart: z.optional(autostartStatus()),
  }),
);

const languageCounts = lazy(() => z.object({ files: count, chunks: count }));

const indexStatus = lazy(() =>
  z.object({
    total_files: count,
    total_chunks: count,
    last_indexed: z.nullable(z.string()),
    pending_changes: z.nullable(count),
    languages: z.record(z.string(), languageCounts()),
    /** Files left out: how many, and by which reason. */
    skipped: z.object({ total: count, by_reason: z.record(z.string(), count) }),
  }),
);

const healthStatus = lazy(() =>
  z.object({
    /** `degraded`: works, but a model that is set does not; `empty`: works, but nothing is indexed yet. */
    status: z.enum(["healthy", "degraded", "empty", "failing"]),
    embedding_model: z.string(),
    database: z.enum(["connected", "missing", "corrupt", "unreadable"]),
    /** How long a real query took just now; null when it could not be asked. */
    query_ms: numberOrNull,
  }),
);

const storageStatus = lazy(() =>
  z.object({
    index_bytes: count,
    fts_bytes: count,
    log_bytes: count,
    total_bytes: count,
  }),
);

/** A model that code is searched with. */
const modelStatus = lazy(() =>
  z.object({
    id: z.string(),
    /** Length of its vectors; 0 while only its server knows. */
    dimensions: count,
    /**
     * `ready`: every chunk was embedded. `embedding`: the others are being embedded. `waiting`: they will be when a
     * daemon runs. `unavailable`: see `message`; it is tried again, search goes on without it.
     */
    state: z.enum(["ready", "embedding", "waiting", "unavailable"]),
    message: z.nullable(z.string()),
    chunks_total: count,
    chunks_embedded: count,
    /** Chunks that it has no vector for: empty ones, or such that it fails on. They are found by their words. */
    chunks_missing: count,
    chunks_pending: count,
    /** null: too early to tell, or not at work. */
    eta_seconds: numberOrNull,
    /** What was asked of a server that counts, since the daemon started; null where nothing is counted. */
    usage: z.nullable(z.object({ requests: count, tokens: count, dollars: numberOrNull })),
  }),
);
export type ModelStatus = z.infer<ReturnType<typeof modelStatus>>;

const statusResponse = lazy(() =>
  z.object({
    version: z.string(),
    /** The project's root directory. */
    project: z.string(),
    daemon: daemonStatus(),
    index: indexStatus(),
    health: healthStatus(),
    queue: queueStatus(),
    storage: storageStatus(),
    models: z.object({
      /** The setting `embed.code`. */
      embedding_code: z.string(),
      code: z.array(modelStatus()),
      /** The setting `embed.text`. */
      embedding_text: z.string(),
      text: z.array(modelStatus()),
    }),
    memory: sessions.memoryStatus(),
    /** What a person should know: a polling watcher, a full disk, a rebuilt index. */
    notes: strings,
  }),
);
export type StatusResponse = z.infer<ReturnType<typeof statusResponse>>;

/** Settings that changed: those that the daemon goes by now, and those that it would only after a restart. */
const reloadResponse = lazy(() =>
  z.object({
    applied: strings,
    need_restart: strings,
    /** It runs in a terminal, where only the person there restarts it. */
    in_foreground: z.boolean(),
  }),
);

const shutdownResponse = lazy(() => z.object({ stopping: z.literal(true), pid: z.number() }));

const empty = lazy(() => z.object({}));

/** A command line of `pm` that only reads. */
const commandRequest = lazy(() =>
  z.object({
    args: strings,
    cwd: z.string(),
    /** The terminal's width; null when stdout is none. */
    columns: z.nullable(count),
    /** Whether stdout and stderr may have colours. */
    color: z.tuple([z.boolean(), z.boolean()]),
    /** The environment variables that answers depend on. */
    settings: z.record(z.string(), z.optional(z.string())),
  }),
);

const commandResponse = lazy(() =>
  z.object({
    /** null: this command is not run for others. */
    exit_code: z.nullable(z.int()),
    /** In order: the file descriptor, and what is written to it. */
    output: z.array(z.tuple([z.literal([1, 2]), z.string()])),
  }),
);

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
    request: searchRequest,
    response: searchResponse,
  },
  searchTranscripts: {
    ...endpoints.searchTranscripts,
    summary: "Find what was said in past sessions",
    request: sessions.transcriptSearchRequest,
    response: sessions.transcriptSearchResponse,
  },
  searchAll: {
    ...endpoints.searchAll,
    summary: "Find both code and sessions",
    request: searchAllRequest,
    response: searchAllResponse,
  },
  index: {
    ...endpoints.index,
    summary: "Index files again",
    request: indexRequest,
    response: indexResponse,
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
    response: statusResponse,
  },
  queue: {
    ...endpoints.queue,
    summary: "Show pending and failed jobs",
    request: empty,
    response: queueResponse,
  },
  retry: {
    ...endpoints.retry,
    summary: "Retry or discard failed jobs",
    request: sessions.retryRequest,
    response: sessions.retryResponse,
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
    response: sessions.rescrubResponse,
  },
  command: {
    ...endpoints.command,
    summary: "Run a command of pm that only reads; for pm itself",
    request: commandRequest,
    response: commandResponse,
  },
  spool: {
    ...endpoints.spool,
    summary: "Read what hooks left; for hooks",
    request: empty,
    response: sessions.spoolResponse,
  },
  reloadSettings: {
    ...endpoints.reloadSettings,
    summary: "Apply changed settings",
    request: empty,
    response: reloadResponse,
  },
  shutdown: {
    ...endpoints.shutdown,
    summary: "Stop the daemon",
    request: empty,
    response: shutdownResponse,
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
  return !(element instanceof z.core.$ZodEnum || element === plainName);
}
