import * as z from "zod/mini";
import { maxResults } from "../project/max-results.ts";
import { count, lazy, numberOrNull, strings, text, textOrNull, time, timeOrNull } from "./shape-parts.ts";
import { chunkKinds, chunkTypes, confidences, searchModes } from "./values.ts";

/** The shapes of the routes about conversations; protocol.ts has the routes. */

const type = z.enum(chunkTypes);
const kind = z.enum(chunkKinds);
const limit = z.optional(z.int().check(z.minimum(1), z.maximum(maxResults)));

/** Times in requests are ISO 8601 or in words, "last week". */
const sessionFilters = {
  since: z.optional(text),
  until: z.optional(text),
  branch: z.optional(text),
  agent: z.optional(text),
};

export const transcriptSearchRequest = lazy(() =>
  z.object({
    ...sessionFilters,
    q: text,
    limit,
    type: z.optional(z.array(type)),
    kind: z.optional(z.array(kind)),
    /** Paths, directories or globs. */
    file: z.optional(strings),
    /** An id or the beginning of one. */
    session: z.optional(text),
    /** A checkpoint's id, its commit's hash, or the beginning of either. */
    commit: z.optional(text),
    /** An event's id, the beginning of one, or its title. */
    event: z.optional(text),
    mode: z.optional(z.enum(searchModes)),
    explain: z.optional(z.boolean()),
  }),
);
export type TranscriptSearchRequest = z.infer<ReturnType<typeof transcriptSearchRequest>>;

const transcriptResult = lazy(() =>
  z.object({
    id: text,
    source: z.literal("transcript"),
    session_id: text,
    session_title: textOrNull,
    agent: text,
    branch: textOrNull,
    turn: z.number(),
    last_turn: z.number(),
    chunk_type: type,
    kind,
    event_type: z.enum(["user_prompt", "tool_use", "assistant", "mixed"]),
    timestamp: timeOrNull,
    score: z.number(),
    confidence: z.enum(confidences),
    probability: z.number(),
    annotation: textOrNull,
    snippet: text,
    content: text,
    files: strings,
    freshness: z.nullable(z.enum(["fresh", "drifted", "orphaned"])),
    abandoned: z.boolean(),
    /** That it led to, at most three. */
    commits: z.array(
      z.object({
        commit: text,
        checkpoint: text,
        subject: text,
        /** null: git did not answer in time. */
        reach: z.nullable(z.enum(["head", "elsewhere", "gone"])),
        successor: textOrNull,
        reverted_by: textOrNull,
        branches: strings,
        /** null: too many to look at. */
        lines_added: numberOrNull,
        lines_surviving: numberOrNull,
      }),
    ),
    match_reasons: strings,
    signals: z.optional(z.record(z.string(), z.number())),
  }),
);

export const transcriptSearchResponse = lazy(() =>
  z.object({
    scope: z.literal("transcripts"),
    query: text,
    total_results: count,
    /** Empty where nothing answers the question. */
    results: z.array(transcriptResult()),
    /** What comes nearest to it then; no answer. */
    nearest: z.array(transcriptResult()),
    searched_by: strings,
    notes: strings,
    search_time_ms: z.number(),
    memory: z.object({
      /** Transcripts waiting to be read on; null when nobody knows, because no daemon runs. */
      pending: z.nullable(count),
      /** Newest line that is remembered. */
      as_of: timeOrNull,
    }),
  }),
);
export type TranscriptSearchResponse = z.infer<ReturnType<typeof transcriptSearchResponse>>;

const sessionSummary = lazy(() =>
  z.object({
    id: text,
    agent: text,
    title: textOrNull,
    branch: textOrNull,
    cwd: text,
    started_at: timeOrNull,
    last_at: timeOrNull,
    ended_at: timeOrNull,
    end_reason: textOrNull,
    turns: count,
    chunks: count,
    annotations: count,
    /** Sessions of its subagents. */
    agents: count,
    models: strings,
    tokens: z.object({ input: count, output: count, cache_read: count, cache_write: count }),
    parent_id: textOrNull,
    parent_tool_use: textOrNull,
    agent_type: textOrNull,
    forked_from: textOrNull,
  }),
);
export type SessionSummary = z.infer<ReturnType<typeof sessionSummary>>;

export const sessionsRequest = lazy(() =>
  z.object({
    ...sessionFilters,
    limit,
    /** Subagents' sessions too. */
    agents: z.optional(z.boolean()),
  }),
);
export type SessionsRequest = z.infer<ReturnType<typeof sessionsRequest>>;

export const sessionsResponse = lazy(() => z.object({ sessions: z.array(sessionSummary()), total: count }));
export type SessionsResponse = z.infer<ReturnType<typeof sessionsResponse>>;

export const sessionRequest = lazy(() =>
  z.object({
    /** An id or a unique beginning of one. */
    id: text,
    /** Give this turn in full. */
    turn: z.optional(count),
  }),
);
export type SessionRequest = z.infer<ReturnType<typeof sessionRequest>>;

const turnOutline = lazy(() =>
  z.object({
    number: count,
    prompt: text,
    started_at: timeOrNull,
    ended_at: timeOrNull,
    branch: textOrNull,
    abandoned: z.boolean(),
    tools: z.record(z.string(), count),
    files: z.array(z.object({ path: text, how: z.enum(["read", "edit", "write"]) })),
  }),
);

const annotation = lazy(() =>
  z.object({
    id: text,
    note: text,
    session_id: textOrNull,
    turn: numberOrNull,
    timestamp: time,
    branch: textOrNull,
    source: z.enum(["prompt", "shell"]),
  }),
);
export type Annotation = z.infer<ReturnType<typeof annotation>>;

export const sessionResponse = lazy(() =>
  z.object({
    session: sessionSummary(),
    /** The best there is: by a language model, the agent's own, extractive. */
    summary: z.nullable(
      z.object({
        source: z.enum(["extractive", "compaction", "llm"]),
        model: textOrNull,
        up_to_turn: count,
        text,
      }),
    ),
    turns: z.array(turnOutline()),
    files: z.array(z.object({ path: text, how: z.enum(["read", "edit", "write"]) })),
    annotations: z.array(annotation()),
    agents: z.array(text),
    /** The turn that was asked for, as `[USER] ...`, `[ASSISTANT] ...` and so on; null when none was. */
    content: textOrNull,
  }),
);
export type SessionResponse = z.infer<ReturnType<typeof sessionResponse>>;

export const annotationsRequest = lazy(() =>
  z.object({
    search: z.optional(text),
    since: z.optional(text),
    until: z.optional(text),
    session: z.optional(text),
    limit,
  }),
);
export type AnnotationsRequest = z.infer<ReturnType<typeof annotationsRequest>>;
export const annotationsResponse = lazy(() => z.object({ annotations: z.array(annotation()), total: count }));
export type AnnotationsResponse = z.infer<ReturnType<typeof annotationsResponse>>;

export const annotateRequest = lazy(() =>
  z.object({
    note: text.check(z.minLength(1), z.maxLength(10_000)),
    session_id: z.optional(text),
    transcript_path: z.optional(text),
    /** The git branch it is about; left out: the session's. */
    branch: z.optional(text),
  }),
);
export const annotateResponse = lazy(() => z.object({ annotation: annotation(), queued: z.boolean() }));

export const indexTranscriptRequest = lazy(() =>
  z.object({
    /** Files to read on, or to begin with. */
    transcript_path: z.optional(text),
    transcript_paths: z.optional(strings),
    session_id: z.optional(text),
    agent: z.optional(text),
    /** manual, auto, import ...: for the log. */
    trigger: z.optional(text),
    generate_summary: z.optional(z.boolean()),
    /** Also transcripts of sessions that ran elsewhere. */
    all_projects: z.optional(z.boolean()),
  }),
);
export const indexTranscriptResponse = lazy(() =>
  z.object({ queued: z.boolean(), reason: textOrNull, pending: count }),
);

export const sessionStartRequest = lazy(() =>
  z.object({
    session_id: text,
    transcript_path: z.optional(text),
    source: z.optional(text),
    cwd: z.optional(text),
    /** Whose it is; left out: the default agent's. */
    agent: z.optional(text),
  }),
);
export const sessionStartResponse = lazy(() => z.object({ registered: z.boolean() }));

export const jobsStatus = lazy(() =>
  z.object({
    pending: count,
    running: z.array(z.object({ kind: text, subject: text, done: count, total: count })),
    /** Given up on, with the reason; `pm queue retry`. */
    dead: z.array(z.object({ id: count, kind: text, subject: text, attempts: count, error: textOrNull })),
    rate_chunks_per_sec: z.number(),
    eta_seconds: numberOrNull,
    /** Everything that was seen is searchable; summaries may still wait for their sessions to fall quiet. */
    is_idle: z.boolean(),
    /** Newest first. */
    recent: z.array(
      z.object({
        kind: text,
        subject: text,
        outcome: z.enum(["done", "dead"]),
        chunks: count,
        took_ms: count,
        at: time,
      }),
    ),
  }),
);
export type JobsStatus = z.infer<ReturnType<typeof jobsStatus>>;

export const retryRequest = lazy(() =>
  z.object({
    /** Of dead jobs; left out: all. */
    ids: z.optional(z.array(count)),
    /** Remove them instead. */
    drop: z.optional(z.boolean()),
  }),
);
export const retryResponse = lazy(() => z.object({ jobs: count }));

/** Exactly one of the first five says what to forget. */
export const forgetRequest = lazy(() =>
  z.object({
    session: z.optional(text),
    /** `<session>:<turn>`. */
    turn: z.optional(text),
    annotation: z.optional(text),
    /** A regular expression (RE2); what matches is cut out of everything. */
    pattern: z.optional(text),
    since: z.optional(text),
    until: z.optional(text),
    /** Say what would go, and leave it. */
    dry_run: z.optional(z.boolean()),
  }),
);
export type ForgetRequest = z.infer<ReturnType<typeof forgetRequest>>;
export const forgetResponse = lazy(() =>
  z.object({
    sessions: count,
    turns: count,
    chunks: count,
    annotations: count,
    /** Places where a pattern matches. */
    matches: count,
    /** What it is about, for a preview: titles, prompts, notes; cut at 20. */
    examples: strings,
    forgotten: z.boolean(),
  }),
);
export type ForgetResponse = z.infer<ReturnType<typeof forgetResponse>>;

export const rescrubResponse = lazy(() => z.object({ queued: z.boolean() }));
export const spoolResponse = lazy(() => z.object({ taken: z.boolean() }));

/** As `Vanishing` in sessions/vanishing.ts. */
const vanishing = z.object({
  agent: text,
  title: text,
  days: z.number(),
  setting: text,
  source: textOrNull,
  sessions: count,
  stored: count,
  within_days: count,
  first_at: timeOrNull,
});

/** What is remembered, for the status. */
export const memoryStatus = lazy(() =>
  z.object({
    /** Whether sessions are recorded. */
    captures: z._default(z.boolean(), true),
    sessions: count,
    /** Sessions by agent; an older daemon does not say. */
    agents: z._default(z.record(z.string(), count), {}),
    turns: count,
    chunks: count,
    annotations: count,
    summaries: count,
    /** Commits that were looked at, those that sessions led to, and those that wait; an older daemon knows of none. */
    commits: z._default(count, 0),
    checkpoints: z._default(count, 0),
    commits_waiting: z._default(count, 0),
    last_updated: timeOrNull,
    /** Why memory.db cannot be read; null when it can, or is not there. */
    problem: textOrNull,
    bytes: count,
    growth_30d_bytes: numberOrNull,
    /** What agents were told by themselves, in all and in the last 30 days; an older daemon tells nothing. */
    context: z._default(
      z.object({
        ...{ mode: text, injections: count, tokens: count, injections_30d: count, tokens_30d: count },
        /** Answers that did not come in time. */
        missed_30d: z._default(count, 0),
      }),
      { mode: "off", injections: 0, tokens: 0, injections_30d: 0, tokens_30d: 0, missed_30d: 0 },
    ),
    /** What the agents' clients will delete soon, by their own settings; null where no daemon has looked. */
    vanishing: z._default(z.nullable(z.array(vanishing)), null),
    /** Stored under other scrubbing rules than are in force now. */
    needs_scrubbing: z.boolean(),
    llm: z.object({
      /** "none": summaries are extracts. */
      model: text,
      tokens_today: count,
      daily_tokens: count,
      dollars_today: numberOrNull,
      /** Why its last answer never came; null when it came, or nothing was asked since the daemon started. */
      problem: z._default(textOrNull, null),
    }),
    jobs: jobsStatus(),
  }),
);
export type MemoryStatus = z.infer<ReturnType<typeof memoryStatus>>;
