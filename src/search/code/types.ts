import type { Level } from "../../project/levels.ts";
import type { Neighbours } from "../../protocol/operations/graph.ts";
import type { MatchMode } from "../../protocol/values.ts";
import type { Judgement } from "../confidence/judge.ts";

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

/** One answer; the keys are the JSON's keys. */
export interface CodeResult {
  id: string;
  file: string;
  /** 1-based, inclusive. */
  start_line: number;
  end_line: number;
  level: Level;
  /** The language's own term: "function", "class", "interface"; "" for code without a name. */
  kind: string;
  language: string;
  name: string;
  /** 0 to 1, comparable within one answer only. */
  score: number;
  /** The lines as they are on disk now. */
  content: string;
  parent_id: string | null;
  parent_name: string | null;
  /** Why it is here, for a reader: "name matches retry", "path matches http". */
  match_reasons: string[];
  /** With `match` or quotes: the lines on which matches begin. */
  match_lines?: number[];
  /** "drifted": the file has changed since it was indexed, the lines may be off. */
  freshness: "fresh" | "drifted";
  /** By file: at most three other places in it, best first. */
  places: CodePlace[];
  /** Paths of files that hold the same, or nearly. */
  also_in: string[];
  /** What calls it and what it calls; only with `graph`. */
  graph?: Neighbours;
  /** Each ranking signal's contribution to the score; only with `explain`. */
  signals?: Record<string, number>;
}

/** Another chunk of a result's file that matches. */
export type CodePlace = Pick<CodeResult, "id" | "name" | "kind" | "level" | "start_line" | "end_line">;

export interface CodeAnswer extends Judgement {
  query: string;
  /** Best first, whatever the verdict. */
  results: CodeResult[];
  /** How many files, or chunks, were candidates before `limit`. */
  total_results: number;
  /** The basis of the answer: "words", and the id of each model that understood the query. */
  searched_by: string[];
  /** Notes for the user: a model that could not be used, and why. */
  notes: string[];
  /** Time in the engine. Milliseconds. */
  search_time_ms: number;
}
