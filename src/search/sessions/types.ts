import type { ChunkKind, ChunkType, EventType } from "../../store/memory-records.ts";

export const searchModes = ["hybrid", "fts", "regex", "semantic"] as const;
/** hybrid: words and meaning; fts: words alone; semantic: meaning alone; regex: a pattern over what was said. */
export type SearchMode = (typeof searchModes)[number];

/** A question to the memory of conversations. */
export interface SessionQuery {
  query: string;
  /** At most this many results. */
  limit: number;
  /** Milliseconds since the epoch, inclusive; null: unbounded. */
  since: number | null;
  until: number | null;
  /** Empty: all. */
  types: ChunkType[];
  kinds: ChunkKind[];
  /** Paths, directories or globs, relative to the project's root; empty: all. */
  files: string[];
  /** An id or the beginning of one; its subagents count as well. */
  session: string | null;
  branch: string | null;
  agent: string | null;
  mode: SearchMode;
  /** Fill in each result's `signals`. */
  explain: boolean;
}

/** A question that leaves everything open. */
export const openQuery: Omit<SessionQuery, "query"> = {
  limit: 10,
  since: null,
  until: null,
  types: [],
  kinds: [],
  files: [],
  session: null,
  branch: null,
  agent: null,
  mode: "hybrid",
  explain: false,
};

/** What became of the files that a conversation touched: all as they were left, some changed since, all gone. */
export type Freshness = "fresh" | "drifted" | "orphaned";

/** One answer; the keys are the JSON's keys. */
export interface SessionResult {
  id: string;
  source: "transcript";
  session_id: string;
  session_title: string | null;
  agent: string;
  branch: string | null;
  /** First and last turn that it spans. */
  turn: number;
  last_turn: number;
  chunk_type: ChunkType;
  kind: ChunkKind;
  event_type: EventType;
  /** ISO 8601; null where the transcript has none. */
  timestamp: string | null;
  /** 0 to 1. */
  score: number;
  /** The note, of an annotated chunk. */
  annotation: string | null;
  /** About 200 characters around what matched. */
  snippet: string;
  content: string;
  files: string[];
  /** null where no file was touched. */
  freshness: Freshness | null;
  /** The user went back and took another way. */
  abandoned: boolean;
  match_reasons: string[];
  signals?: Record<string, number>;
}

export interface SessionAnswer {
  query: string;
  results: SessionResult[];
  /** How many chunks were candidates before `limit`. */
  total_results: number;
  /** What the answer rests on: "words", "pattern", and the id of each model that understood the query. */
  searched_by: string[];
  notes: string[];
  search_time_ms: number;
}
