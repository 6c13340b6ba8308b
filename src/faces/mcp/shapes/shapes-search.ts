import * as z from "zod/mini";
import { levels } from "../../../base/levels.ts";
import type { Decision } from "../../../features/decisions/operation.ts";
import { relatedRequest } from "../../../features/related/operation.ts";
import { chunkRequest, searchRequest, transcriptSearchRequest } from "../../../features/search/operation.ts";
import type { Coverage } from "../../../protocol/results.ts";
import { described, field, text } from "../../../protocol/shape-parts.ts";
import type { Verdict } from "../../../protocol/values.ts";
import { cursor, type LabelledOutput, limit, maxTokens, type PagedOutput, project } from "../tool.ts";

/** What the tools that search take and answer. */

const ofCode = searchRequest().shape;

// Models read these with every request, so they are shorter here than on the command line.
export const searchCodeInput = z
  .strictObject({
    query: field('what it does, name or error; "quotes": exact', ofCode.q),
    chunk: field("FILE:LINES: that code and around", chunkRequest().shape.id),
    path: described("paths or globs", ofCode.path),
    language: described('"typescript", "go"', ofCode.language),
    level: field("only these", z.array(z.enum(levels))),
    package: described("only this", ofCode.package),
    regex: field("RE2", z.boolean()),
    graph: described("callers, uses", ofCode.graph),
    all_projects: field("others too", z.boolean()),
    limit: limit(50, 10),
    cursor,
    // What stands on top is found as quickly in a short answer, and a miss costs less (bench:agent).
    max_tokens: maxTokens(1000),
  })
  .check(z.refine(({ query, chunk }) => query !== undefined || chunk !== undefined, { path: ["query"] }));

export interface SearchCodeOutput extends PagedOutput, LabelledOutput {
  /** Whether the first results answer it. */
  verdict: Verdict;
  /** How much was there to search, while the project is still being indexed; else null. */
  coverage: Coverage | null;
  /** One a file, best first, whatever the verdict. */
  results: CodeFound[];
  total: number;
}

interface CodeFound {
  /** The root of another project; null: this one. */
  project: string | null;
  /** From the project's root; of another project from where the server runs, or absolute. */
  file: string;
  start_line: number;
  end_line: number;
  level: string;
  /** What the language calls it: "function", "class", "interface". */
  kind: string;
  name: string;
  parent: string | null;
  reasons: string[];
  /** Whether the file has changed since it was indexed: lines may have moved. */
  is_stale: boolean;
  /** How it begins, each line after its number and a tab; with regex or quotes from the first match on. */
  content: string;
  /** "7 callers, 2 in tests"; "" where its language's are unknown, and for what is only named. */
  callers: string;
  /**
   * With graph: what calls or uses it, and what it calls or uses, with its place; (type), (base) or (use) where that is no
   * call, and how sure it is unless it is resolved.
   */
  used_by?: string[];
  uses?: string[];
  /** Other places in the file that match: "retryLater:40-60". */
  also: string[];
  /** Files that hold the same, or nearly. */
  also_in: string[];
}

const { q, file, session, ...ofSessions } = z.omit(transcriptSearchRequest(), {
  limit: true,
  explain: true,
  match: true,
  package: true,
  author: true,
  team: true,
  mine: true,
}).shape;

export const searchSessionsInput = z.strictObject({
  query: field('about: "why do we retry"', q),
  ...ofSessions,
  type: described("annotated: notes", ofSessions.type),
  kind: described("only these", ofSessions.kind),
  since: described('"2026-01-31", "last week"', ofSessions.since),
  event: described("only this", ofSessions.event),
  branch: described("only this", ofSessions.branch),
  agent: described("only this", ofSessions.agent),
  topic: field("without a query: only sessions about this", text),
  mine: field("not colleagues'", z.boolean()),
  in: field("content: tool output too, exact", z.enum(["content"])),
  commit: described("led to this commit", ofSessions.commit),
  mode: described("fts: words; regex: RE2", ofSessions.mode),
  by: field("one result each", z.enum(["session", "turn"])),
  files: described("touched these paths", file),
  session_id: described("only this", session),
  project,
  all_projects: field("others too", z.boolean()),
  limit: limit(50, 10),
  cursor,
  max_tokens: maxTokens(),
});

export interface SearchSessionsOutput extends LabelledOutput, PagedOutput {
  /** Whether the first results answer the query; null without one. */
  verdict: Verdict | null;
  /** How many transcripts are read, while some are not; else null. */
  coverage: Coverage | null;
  results: SessionFound[];
  total: number;
}

interface SessionFound {
  session_id: string;
  title: string | null;
  agent: string;
  /** The colleague who shared it; null: recorded here. */
  author: string | null;
  branch: string | null;
  /** The root of another project; null: this one. */
  project: string | null;
  /** For get_session; null: the session as a whole. */
  turn: number | null;
  last_turn: number | null;
  /** Of the whole session, where sessions are listed. */
  turns: number | null;
  kind: string | null;
  timestamp: string | null;
  /** What was noted there, and whether a person, an agent or another tool noted it. */
  note: string | null;
  note_by: "person" | "agent" | "tool" | null;
  snippet: string;
  /** Other turns of the session that match, the best first, at most five; more_turns: how many there are. */
  other_turns: number[];
  more_turns: number;
  files: string[];
  /** Of the files: fresh, drifted (changed since), orphaned (gone). */
  freshness: string | null;
  /** On an abandoned branch of the conversation. */
  is_abandoned: boolean;
  /** Why the session was rejected later. */
  rejected: string | null;
  /** The commits that it led to, each with what became of it. */
  commits: string[];
}

const related = relatedRequest().shape;

export const relatedInput = z.strictObject({
  query: related.q,
  files: described("paths or globs", related.file),
  limit: limit(50, 10),
  cursor,
  max_tokens: maxTokens(),
});

export interface RelatedOutput extends LabelledOutput, PagedOutput {
  /** The files whose sessions were looked up. */
  files: string[];
  sessions: {
    session_id: string;
    title: string | null;
    agent: string;
    branch: string | null;
    last_at: string | null;
    score: number;
    /** Those that it touched, each with how: "src/a.ts (edit)". */
    files: string[];
    /** With what was asked there, or what matches. */
    turns: { turn: number; text: string }[];
  }[];
  total: number;
  /** What was decided about the files or the query, on the first page. */
  decisions: Decision[];
  /** Files that use the code of these files, or are used by it: "src/http.ts (used by get)", on the first page. */
  code: string[];
}
