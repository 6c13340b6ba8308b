import * as z from "zod/mini";
import { levels } from "../base/levels.ts";
import { neighbours } from "./graph.ts";
import { speakers } from "./origin.ts";
import {
  count,
  lazy,
  numberOrNull,
  type Shaped,
  strings,
  text,
  textOrNull,
  timeOrNull,
} from "./shape-parts.ts";
import {
  bindingHows,
  chunkKinds,
  chunkTypes,
  contentRoles,
  eventStatuses,
  eventTypes,
  verdicts,
} from "./values.ts";

/** Another chunk of a result's file that matches. */
const codePlace = lazy(() =>
  z.object({
    id: text,
    name: text,
    kind: text,
    level: z.enum(levels),
    start_line: z.number(),
    end_line: z.number(),
  }),
);

export const codeResult = lazy(() =>
  z.object({
    id: text,
    file: text,
    /** 1-based, inclusive. */
    start_line: z.number(),
    end_line: z.number(),
    level: z.enum(levels),
    /** What the language calls it: "function", "class", "interface"; "" for what has no name. */
    kind: text,
    language: text,
    name: text,
    /** 0 to 1, comparable within one answer only. */
    score: z.number(),
    /** The lines as they are on disk now. */
    content: text,
    parent_id: textOrNull,
    parent_name: textOrNull,
    /** Why it is here, for a reader: "name matches retry", "path matches http". */
    match_reasons: strings,
    /** With `match` or quotes: the lines on which matches begin. */
    match_lines: z.optional(z.array(z.int())),
    /** drifted: the file has changed since it was indexed, the lines may be off. */
    freshness: z.enum(["fresh", "drifted"]),
    /** By file: at most three other places in it, best first. */
    places: z.array(codePlace()),
    /** Paths of files that hold the same, or nearly: they are no results of their own. */
    also_in: strings,
    /** With `graph`. */
    graph: z.optional(neighbours()),
    /** With `explain`: each ranking signal's contribution to the score. */
    signals: z.optional(z.record(text, z.number())),
  }),
);

export type CodeResult = Shaped<typeof codeResult>;

export const transcriptResult = lazy(() =>
  z.object({
    id: text,
    source: z.literal("transcript"),
    session_id: text,
    session_title: textOrNull,
    agent: text,
    /** The colleague who shared it; null or left out: recorded here. */
    author: z.optional(textOrNull),
    branch: textOrNull,
    /** First and last turn that it spans. */
    turn: z.number(),
    last_turn: z.number(),
    chunk_type: z.enum(chunkTypes),
    kind: z.enum(chunkKinds),
    event_type: z.enum(["user_prompt", "tool_use", "assistant", "mixed"]),
    timestamp: timeOrNull,
    score: z.number(),
    /** The note, of an annotated chunk. */
    annotation: textOrNull,
    /** Who noted it: `origin` of notes and decisions, before it was shared. */
    note_by: z.optional(z.enum(speakers)),
    /** About 200 characters around what matches. */
    snippet: text,
    /** What a language model wrote of it (llm.chunk_summaries), where that holds no less of the query than the snippet. */
    summary: z.optional(text),
    content: text,
    files: strings,
    /** Of the files that it touched: all as they were left, some changed since, all gone; null: it touched none. */
    freshness: z.nullable(z.enum(["fresh", "drifted", "orphaned"])),
    /** The user went back and took another way. */
    abandoned: z.boolean(),
    /** Why its session was tried and rejected; null: it was not. */
    rejected: textOrNull,
    /** That its turns led to, at most three; in HEAD's history first. */
    commits: z.array(
      z.object({
        commit: text,
        checkpoint: text,
        subject: text,
        /** That its turns led to it, and what shows it. */
        confidence: z.number(),
        how: z.enum(bindingHows),
        /** head: in HEAD's history; elsewhere: not in that; gone: git does not know it; null: git did not answer in time. */
        reach: z.nullable(z.enum(["head", "elsewhere", "gone"])),
        /** The commit in HEAD's history that replaced it, after a rebase, an amend or a cherry-pick. */
        successor: textOrNull,
        /** The commit in HEAD's history that took it back. */
        reverted_by: textOrNull,
        /** Up to three that hold it, of one elsewhere. */
        branches: strings,
        /** Lines that it added and, of those, lines that its files still hold; blank and trivial ones aside; null: too many. */
        lines_added: numberOrNull,
        lines_surviving: numberOrNull,
      }),
    ),
    /** How many other turns of the session match, and the best ten of them; by turn none. */
    more_turns: count,
    other_turns: z.array(
      z.object({
        id: text,
        turn: z.number(),
        last_turn: z.number(),
        chunk_type: z.enum(chunkTypes),
        kind: z.enum(chunkKinds),
        timestamp: timeOrNull,
        score: z.number(),
      }),
    ),
    match_reasons: strings,
    /** In the content: whose text matches, and the tool of a call or its result. */
    found_in: z.optional(z.object({ role: z.enum(contentRoles), tool: textOrNull })),
    signals: z.optional(z.record(text, z.number())),
  }),
);

export type SessionResult = Shaped<typeof transcriptResult>;

/** What all results have. */
const foundInHistory = {
  /** A commit's full hash, an event's id. */
  id: text,
  title: text,
  /** When the commit was authored, when the event changed last. */
  timestamp: timeOrNull,
  snippet: text,
  score: z.number(),
  match_reasons: strings,
  signals: z.optional(z.record(text, z.number())),
};

export const commitFound = lazy(() =>
  z.object({
    kind: z.literal("commit"),
    ...foundInHistory,
    author: text,
    /** The first it touched. */
    files: strings,
    /** Of the commit, where sessions led to it. */
    checkpoint: textOrNull,
    /** The sessions that led to it. */
    sessions: z.array(z.object({ session_id: text, title: textOrNull, turns: z.array(z.number()) })),
    /** null: git did not answer in time. */
    reach: z.nullable(z.enum(["head", "elsewhere", "gone"])),
    /** The commit that took it back. */
    reverted_by: textOrNull,
  }),
);

export type CommitFound = Shaped<typeof commitFound>;

export const eventFound = lazy(() =>
  z.object({
    kind: z.literal("event"),
    ...foundInHistory,
    type: z.enum(eventTypes),
    status: z.enum(eventStatuses),
    branch: textOrNull,
    /** How many belong to it. */
    sessions: count,
    checkpoints: count,
  }),
);

export type EventFound = Shaped<typeof eventFound>;

/** What every answer says of itself. */
export const judgement = {
  verdict: z.enum(verdicts),
  /** That one of the first results is what was asked for: 0 to 1, comparable between answers. */
  probability: z.number(),
  /** The first result is the very thing that the query names: by its hash, id, branch, place, or a text in quotes. */
  is_named: z.optional(z.boolean()),
};

/** How far what was searched may be behind the files. */
const indexAge = lazy(() =>
  z.object({
    /** Changes not yet indexed; null if unknown, because no daemon watches. */
    pending: z.nullable(count),
    /** False until the whole project was indexed once. */
    is_complete: z.boolean(),
    /** When the index was last known to match the files: ISO 8601, null for never. */
    as_of: textOrNull,
  }),
);

export type IndexAge = Shaped<typeof indexAge>;

/** How much of what is to be searched was there, while it is still being read. */
export const coverage = lazy(() =>
  z.object({
    of: z.enum(["files", "commits", "transcripts"]),
    /** So many are read, files into the index; null: the index cannot be reached. */
    done: z.nullable(count),
    total: count,
    /** Files whose text was searched, in the index or not. */
    files_read: z.optional(count),
  }),
);

export type Coverage = Shaped<typeof coverage>;

/** Of an answer from what is not complete. */
const partly = lazy(() => z.optional(coverage()));

export const searchResponse = lazy(() =>
  z.object({
    query: text,
    ...judgement,
    coverage: partly(),
    /** Best first, whatever the verdict. */
    results: z.array(codeResult()),
    /** How many files, or chunks, were candidates before `limit`. */
    total_results: count,
    /** Time in the engine. Milliseconds. */
    search_time_ms: z.number(),
    /** "words", and the id of each model that understood the query. */
    searched_by: strings,
    /** What a person should know: a model that could not be asked, and why. */
    notes: strings,
    index: indexAge(),
  }),
);

export type SearchResponse = Shaped<typeof searchResponse>;

export const transcriptSearchResponse = lazy(() =>
  z.object({
    scope: z.literal("transcripts"),
    query: text,
    ...judgement,
    coverage: partly(),
    /** How many there were before `limit`: sessions, or chunks by turn. */
    total_results: count,
    /** Best first, whatever the verdict. */
    results: z.array(transcriptResult()),
    searched_by: strings,
    notes: strings,
    search_time_ms: z.number(),
    memory: z.object({
      /** Transcripts not fully imported; null if unknown, because no daemon runs. */
      pending: z.nullable(count),
      /** Newest line that is remembered. */
      as_of: timeOrNull,
    }),
  }),
);

export type TranscriptSearchResponse = Shaped<typeof transcriptSearchResponse>;
