import type { SessionResult, TranscriptSearchResponse } from "../../protocol/results.ts";
import type { ChunkKind, ChunkType, MatchMode, SearchMode, SearchPlace } from "../../protocol/values.ts";
import type { LedTo } from "../../store/memory/commits/commits-of-turns.ts";

/** A question to the memory of sessions. */
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

/** The state of the files that a session touched. */
export type Freshness = NonNullable<SessionResult["freshness"]>;

/** A commit that a session led to, and its fate. */
export type CommitOfResult = SessionResult["commits"][number];

/** Another turn of a result's session that matches. */
export type OtherTurn = SessionResult["other_turns"][number];

/** What the engine answers: all but how old the memory is. */
export type SessionAnswer = Omit<TranscriptSearchResponse, "scope" | "memory">;

/** Finds the commits that results led to, by the results' places. */
export interface FindsCommits {
  /** @param bySession the commits that the results' sessions led to */
  findCommitsOfResults(
    results: readonly Pick<SessionResult, "session_id" | "turn" | "last_turn">[],
    bySession: ReadonlyMap<string, readonly LedTo[]>,
  ): Promise<CommitOfResult[][]>;
}
