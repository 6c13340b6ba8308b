import type {
  ChunkKind,
  ChunkType,
  ContentRole,
  MatchMode,
  SearchMode,
  SearchPlace,
} from "../../protocol/values.ts";
import type { EventType } from "../../store/memory/memory-records.ts";
import type { Judgement } from "../confidence/judge.ts";

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
  /** Not of these sessions and their subagents. */
  leaves?: readonly string[] | undefined;
  branch: string | null;
  agent: string | null;
  /** Part of the name of the colleague who shared it. */
  author: string | null;
  /** true: only what colleagues shared; false: only what was recorded here; null: everything. */
  shared: boolean | null;
  /** A checkpoint's id, its commit's hash, or the beginning of either: only turns that led to it. */
  commit: string | null;
  /** An event's id, the beginning of one, or its title: only what belongs to it. */
  event: string | null;
  mode: SearchMode;
  place: SearchPlace;
  /** Of the content: as a text or a pattern; left out: its words, and what is in quotes. */
  match?: MatchMode | undefined;
  /** session: one result a session, with the turns that match beside its best one. */
  by: "session" | "turn";
  /** Fill in each result's `signals`. */
  explain: boolean;
  /** Without the commits that results led to: git is not asked. */
  withoutCommits?: boolean;
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
  author: null,
  shared: null,
  commit: null,
  event: null,
  mode: "hybrid",
  place: "chunks",
  by: "turn",
  explain: false,
};

/** The state of the files that a session touched: all as they were left, some changed since, all gone. */
export type Freshness = "fresh" | "drifted" | "orphaned";

/** A commit that a session led to, and its fate; the keys are the JSON's keys. */
export interface CommitOfResult {
  commit: string;
  checkpoint: string;
  subject: string;
  /** head: in HEAD's history; elsewhere: not in that; gone: git does not know it; null: git did not answer in time. */
  reach: "head" | "elsewhere" | "gone" | null;
  /** The commit in HEAD's history that replaced it, after a rebase, an amend or a cherry-pick; null: none. */
  successor: string | null;
  /** The commit in HEAD's history that took it back. */
  reverted_by: string | null;
  /** Up to three that hold it, of one elsewhere. */
  branches: string[];
  /** Lines that it added and, of those, lines that its files still hold; blank and trivial ones aside; null: too many. */
  lines_added: number | null;
  lines_surviving: number | null;
}

/** Another turn of a result's session that matches. */
export interface OtherTurn {
  id: string;
  turn: number;
  last_turn: number;
  chunk_type: ChunkType;
  kind: ChunkKind;
  timestamp: string | null;
  score: number;
}

/** One answer; the keys are the JSON's keys. */
export interface SessionResult {
  id: string;
  source: "transcript";
  session_id: string;
  session_title: string | null;
  agent: string;
  /** The colleague who shared it; left out: recorded here. */
  author?: string;
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
  /** About 200 characters around the match. */
  snippet: string;
  /** What a language model wrote of it, where that holds no less of the query than the snippet; left out: nothing. */
  summary?: string;
  content: string;
  files: string[];
  /** null where no file was touched. */
  freshness: Freshness | null;
  /** The user went back and took another way. */
  abandoned: boolean;
  /** Why its session was rejected later; null: it was not. */
  rejected: string | null;
  /** Those that its turns led to, at most three; in HEAD's history first. */
  commits: CommitOfResult[];
  /** By session: how many other turns match, and the best ten of them. */
  more_turns: number;
  other_turns: OtherTurn[];
  match_reasons: string[];
  /** In the content: whose text matches, and the tool of a call or its result. */
  found_in?: { role: ContentRole; tool: string | null };
  signals?: Record<string, number>;
}

export interface SessionAnswer extends Judgement {
  query: string;
  /** Best first, whatever the verdict. */
  results: SessionResult[];
  /** How many there were before `limit`: sessions, or chunks by turn. */
  total_results: number;
  /** The basis of the answer: "words", "pattern", and the id of each model that understood the query. */
  searched_by: string[];
  notes: string[];
  search_time_ms: number;
}
