import * as z from "zod/mini";
import { defineLocalOperation } from "../../answers/local-operation.ts";
import { defineOperation, nothing } from "../../answers/operation.ts";
import type { Project } from "../../base/paths.ts";
import { autostartStatus } from "../../protocol/autostart-status.ts";
import { jobsStatus, queueStatus } from "../../protocol/queue.ts";
import {
  count,
  lazy,
  numberOrNull,
  type Shaped,
  strings,
  text,
  textOrNull,
  timeOrNull,
} from "../../protocol/shape-parts.ts";
import { vanishing } from "../../protocol/vanishing.ts";

/** What changes when there is something new: each a mark that means nothing but "as before" or "not as before". */
export const stateResponse = lazy(() => z.object({ memory: text, code: text }));

const daemonStatus = lazy(() =>
  z.object({
    running: z.boolean(),
    /** Whether it keeps this checkout's index up to date now: it does from its first use on, until nobody has used it for a while. */
    has_open: z.boolean(),
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
    last_indexed: textOrNull,
    pending_changes: z.nullable(count),
    languages: z.record(text, languageCounts()),
    /** Files of which a part has errors of syntax, or nothing that the grammar knows. They are searched all the same. */
    partly_parsed: count,
    /** Files left out: how many, and by which reason. */
    skipped: z.object({ total: count, by_reason: z.record(text, count) }),
  }),
);

const healthStatus = lazy(() =>
  z.object({
    /** `degraded`: works, but a configured model does not; `empty`: works, but nothing is indexed yet. */
    status: z.enum(["healthy", "degraded", "empty", "failing"]),
    embedding_model: text,
    database: z.enum(["connected", "missing", "corrupt", "unreadable"]),
    /** How long a real query took just now; null when it could not be asked. */
    query_ms: numberOrNull,
  }),
);

const storageStatus = lazy(() =>
  z.object({
    index_bytes: count,
    fts_bytes: count,
    /** Of the index, the vectors of code. */
    vector_bytes: z.optional(count),
    /** The index driver, and the server that it is on; "" for this machine. */
    driver: z.optional(text),
    place: z.optional(text),
    log_bytes: count,
    total_bytes: count,
  }),
);

/** A model that code is searched with. */
const modelStatus = lazy(() =>
  z.object({
    id: text,
    /** Length of its vectors; 0 until its server reports it. */
    dimensions: count,
    /**
     * `ready`: every chunk is embedded. `embedding`: the others are being embedded. `waiting`: they will be when a
     * daemon runs. `unavailable`: see `message`; it is tried again, and search works without it.
     */
    state: z.enum(["ready", "embedding", "waiting", "unavailable"]),
    message: textOrNull,
    chunks_total: count,
    chunks_embedded: count,
    /** Chunks that it has no vector for: empty ones, or such that it fails on. They are found by their words. */
    chunks_missing: count,
    chunks_pending: count,
    /** null: too early to tell, or not at work. */
    eta_seconds: numberOrNull,
    /** Usage of a metered server since the daemon started; null if nothing is metered. */
    usage: z.nullable(z.object({ requests: count, tokens: count, dollars: numberOrNull })),
  }),
);

export type ModelStatus = Shaped<typeof modelStatus>;

/** What is remembered, for the status. */
const memoryStatus = lazy(() =>
  z.object({
    /** Whether sessions are recorded. */
    captures: z.boolean(),
    sessions: count,
    /** Sessions by agent. */
    agents: z.record(text, count),
    turns: count,
    chunks: count,
    annotations: count,
    summaries: count,
    /**
     * Commits that are analysed, those that sessions led to, and those that are pending.
     */
    commits: count,
    checkpoints: count,
    commits_waiting: count,
    last_updated: timeOrNull,
    /** Why memory.db cannot be read; null when it can, or is not there. */
    problem: textOrNull,
    bytes: count,
    growth_30d_bytes: numberOrNull,
    /** Automatic context, in all and in the last 30 days. */
    context: z.object({
      mode: text,
      injections: count,
      tokens: count,
      injections_30d: count,
      tokens_30d: count,
      /** Context that did not arrive in time. */
      missed_30d: count,
    }),
    /** What the agents' clients will delete soon, by their own settings; null where no daemon has looked. */
    vanishing: z.nullable(z.array(vanishing)),
    /** Stored under other scrubbing rules than are in force now. */
    needs_scrubbing: z.boolean(),
    /** Sessions cut into chunks by other rules or settings than are in force now, of all. */
    recut: z.object({ sessions: count, all: count }),
    llm: z.object({
      /** "none": summaries are extracts. */
      model: text,
      tokens_today: count,
      daily_tokens: count,
      dollars_today: numberOrNull,
      /** Why its last answer failed; null if it did not, or there was no request since the daemon started. */
      problem: textOrNull,
    }),
    jobs: jobsStatus(),
  }),
);

export type MemoryStatus = Shaped<typeof memoryStatus>;

export const statusResponse = lazy(() =>
  z.object({
    version: text,
    /** The project's root directory. */
    project: text,
    daemon: daemonStatus(),
    index: indexStatus(),
    health: healthStatus(),
    queue: queueStatus(),
    storage: storageStatus(),
    models: z.object({
      /** The setting `embed.code`. */
      embedding_code: text,
      code: z.array(modelStatus()),
      /** The setting `embed.text`. */
      embedding_text: text,
      text: z.array(modelStatus()),
    }),
    memory: memoryStatus(),
    /** What a person should know: a polling watcher, a full disk, a rebuilt index. */
    notes: strings,
  }),
);

export type StatusResponse = Shaped<typeof statusResponse>;

export const showStatus = defineOperation({
  name: "status",
  path: "GET /status",
  summary: "Show the state of the index, the memory and the daemon",
  of: "project",
  audited: false,
  looks: true,
  request: nothing,
  response: statusResponse,
  answer: async () => (await import("./answer.ts")).showStatus,
});

export const readState = defineOperation({
  name: "state",
  path: "GET /state",
  summary: "Get one text that changes whenever the memory does, and one that changes whenever the code does",
  of: "project",
  audited: false,
  editors: true,
  request: nothing,
  response: stateResponse,
  answer: async () => (await import("./answer.ts")).readState,
});

/** Lists the files that are left out of the index, and why. */
export const listSkipped = defineLocalOperation(async () => {
  const { listSkippedFiles } = await import("./skipped.ts");
  return (project: Project) => listSkippedFiles(project);
});
