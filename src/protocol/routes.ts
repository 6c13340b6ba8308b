import * as z from "zod/mini";
import { levels } from "../project/levels.ts";
import { maxResults } from "../project/max-results.ts";
import { contextRequest, contextResponse } from "./context.ts";
import { endpoints, type RouteName } from "./endpoints.ts";
import { lazy } from "./lazy.ts";
import * as sessions from "./sessions.ts";

/**
 * The daemon's HTTP contract: every route with the shape of its request and its response. The daemon and
 * its clients both import it from here; docs/http.md says the same in words. Fields that are not named here
 * are ignored on both sides, so that a newer side may add some.
 */

/** Larger request bodies are refused. Bytes. */
export const largestBody = 1_048_576;

const strings = z.array(z.string());
const count = z.int().check(z.minimum(0));
const nullableNumber = z.nullable(z.number());

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
    language: z.optional(strings),
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
    results: z.array(codeResult()),
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
    eta_seconds: nullableNumber,
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
    pid: nullableNumber,
    port: nullableNumber,
    uptime_seconds: nullableNumber,
    /** Resident memory. */
    memory_bytes: nullableNumber,
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
    query_ms: nullableNumber,
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
    eta_seconds: nullableNumber,
    /** What was asked of a server that counts, since the daemon started; null where nothing is counted. */
    usage: z.nullable(z.object({ requests: count, tokens: count, dollars: nullableNumber })),
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

/** Every route with its shapes. */
export const routes = {
  search: { ...endpoints.search, request: searchRequest, response: searchResponse },
  searchTranscripts: {
    ...endpoints.searchTranscripts,
    request: sessions.transcriptSearchRequest,
    response: sessions.transcriptSearchResponse,
  },
  searchAll: { ...endpoints.searchAll, request: searchAllRequest, response: searchAllResponse },
  index: { ...endpoints.index, request: indexRequest, response: indexResponse },
  indexTranscript: {
    ...endpoints.indexTranscript,
    request: sessions.indexTranscriptRequest,
    response: sessions.indexTranscriptResponse,
  },
  annotate: {
    ...endpoints.annotate,
    request: sessions.annotateRequest,
    response: sessions.annotateResponse,
  },
  sessionStart: {
    ...endpoints.sessionStart,
    request: sessions.sessionStartRequest,
    response: sessions.sessionStartResponse,
  },
  sessions: {
    ...endpoints.sessions,
    request: sessions.sessionsRequest,
    response: sessions.sessionsResponse,
  },
  session: { ...endpoints.session, request: sessions.sessionRequest, response: sessions.sessionResponse },
  annotations: {
    ...endpoints.annotations,
    request: sessions.annotationsRequest,
    response: sessions.annotationsResponse,
  },
  context: { ...endpoints.context, request: contextRequest, response: contextResponse },
  status: { ...endpoints.status, request: empty, response: statusResponse },
  queue: { ...endpoints.queue, request: empty, response: queueResponse },
  retry: { ...endpoints.retry, request: sessions.retryRequest, response: sessions.retryResponse },
  forget: { ...endpoints.forget, request: sessions.forgetRequest, response: sessions.forgetResponse },
  scrub: { ...endpoints.scrub, request: empty, response: sessions.rescrubResponse },
  command: { ...endpoints.command, request: commandRequest, response: commandResponse },
  spool: { ...endpoints.spool, request: empty, response: sessions.spoolResponse },
  reloadSettings: { ...endpoints.reloadSettings, request: empty, response: reloadResponse },
  shutdown: { ...endpoints.shutdown, request: empty, response: shutdownResponse },
} satisfies Record<RouteName, unknown>;

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

/** Parameters whose values are lists, also comma separated; those in which commas have a meaning; and so on. */
const listed = new Set(["level", "language", "type", "kind"]);
const repeated = new Set(["path", "file"]);
const numbers = new Set(["limit", "turn"]);
const flags = new Set(["explain", "agents"]);

/**
 * The request that a query string asks for. Lists may be repeated or comma separated (globs repeated only: they
 * contain commas).
 * @returns what the route's schema judges; values that make no sense are left in for it to refuse
 */
export function requestFromUrl(parameters: URLSearchParams): Record<string, unknown> {
  const request: Record<string, unknown> = {};
  for (const name of new Set(parameters.keys())) {
    const all = parameters.getAll(name).filter((value) => value !== "");
    const [first = ""] = parameters.getAll(name);
    if (listed.has(name))
      request[name] = all.flatMap((value) => value.split(",").filter((part) => part !== ""));
    else if (repeated.has(name)) request[name] = all;
    else if (numbers.has(name)) request[name] = Number(first || Number.NaN);
    else if (flags.has(name)) request[name] = !["0", "false"].includes(first);
    else request[name] = first;
  }
  return request;
}
