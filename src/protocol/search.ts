import * as z from "zod/mini";
import { levels } from "../project/levels.ts";
import { sessionFilters } from "./sessions.ts";
import {
  count,
  lazy,
  limit,
  name,
  numberOrNull,
  strings,
  text,
  textOrNull,
  timeOrNull,
} from "./shape-parts.ts";
import { chunkKinds, chunkTypes, searchModes } from "./values.ts";

/** The shapes of searching code, sessions, or both. */

/** Left out: the project's configuration decides. */
export const searchRequest = lazy(() =>
  z.object({
    q: text,
    limit,
    level: z.optional(z.array(z.enum(levels))),
    path: z.optional(strings),
    language: z.optional(z.array(name)),
    explain: z.optional(z.boolean()),
  }),
);
export type SearchRequest = z.infer<ReturnType<typeof searchRequest>>;

const codeResult = lazy(() =>
  z.object({
    id: text,
    file: text,
    start_line: z.number(),
    end_line: z.number(),
    level: z.enum(levels),
    language: text,
    name: text,
    score: z.number(),
    content: text,
    parent_id: textOrNull,
    parent_name: textOrNull,
    match_reasons: strings,
    freshness: z.enum(["fresh", "drifted"]),
    signals: z.optional(z.record(text, z.number())),
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
    as_of: textOrNull,
  }),
);
export type IndexAge = z.infer<ReturnType<typeof indexAge>>;

export const searchResponse = lazy(() =>
  z.object({
    query: text,
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

const type = z.enum(chunkTypes);
const kind = z.enum(chunkKinds);

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
    signals: z.optional(z.record(text, z.number())),
  }),
);

export const transcriptSearchResponse = lazy(() =>
  z.object({
    scope: z.literal("transcripts"),
    query: text,
    total_results: count,
    results: z.array(transcriptResult()),
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

/** What either search takes; each goes by what it knows. */
export const searchAllRequest = lazy(() => z.extend(searchRequest(), transcriptSearchRequest().shape));
export type SearchAllRequest = z.infer<ReturnType<typeof searchAllRequest>>;

export const searchAllResponse = lazy(() =>
  z.object({
    scope: z.literal("all"),
    query: text,
    /** null for a side that could not be searched; `notes` say why. */
    code: z.nullable(searchResponse()),
    transcripts: z.nullable(transcriptSearchResponse()),
    notes: strings,
  }),
);
export type SearchAllResponse = z.infer<ReturnType<typeof searchAllResponse>>;
