import type { Level } from "../../base/levels.ts";
import type { CodeResult, SearchResponse } from "../../protocol/results.ts";
import type { MatchMode } from "../../protocol/values.ts";

/** A question to the code index. */
export interface CodeQuery {
  query: string;
  /** At most this many results. */
  limit: number;
  /** Empty: all levels. */
  levels: Level[];
  /** Globs relative to the project's root; empty: everywhere. */
  paths: string[];
  /** Language ids or file extensions; empty: all. */
  languages: string[];
  /** Only files of this package: its name or directory. Left out: of all. */
  package?: string | undefined;
  /** Where one works, a path from the project's root: results of the package around it come first. */
  near?: string | undefined;
  /** The file and lines that the query names, as somebody wrote them. */
  place?: NamedPlace | undefined;
  /** exact: the query is a text, regex: a pattern in RE2's syntax, and every result holds it. Left out: by evidence. */
  match?: MatchMode;
  /** chunk: every chunk is a result. Left out: one result a file, with its best places. */
  by?: "file" | "chunk" | undefined;
  /** Fill in each result's `graph`. */
  graph?: boolean | undefined;
  /** Fill in that of so many first results at least. */
  graphOfFirst?: number | undefined;
  /** Fill in each result's `signals`. */
  explain: boolean;
}

export interface NamedPlace {
  /** A path from the project's root, or the end of one. */
  file: string;
  /** 1-based, inclusive. */
  first: number;
  last: number;
}

/** Another chunk of a result's file that matches. */
export type CodePlace = CodeResult["places"][number];

/** What the engine answers: all but how old the index is. */
export type EngineAnswer = Omit<SearchResponse, "index">;
