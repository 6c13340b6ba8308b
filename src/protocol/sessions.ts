import * as z from "zod/mini";
import {
  count,
  lazy,
  limit,
  numberOrNull,
  strings,
  text,
  textOrNull,
  time,
  timeOrNull,
} from "./shape-parts.ts";

/** The shapes of sessions and notes: reading, recording and forgetting them. */

/** Times in requests are ISO 8601 or in words, "last week". */
export const sessionFilters = {
  since: z.optional(text),
  until: z.optional(text),
  branch: z.optional(text),
  agent: z.optional(text),
};

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
