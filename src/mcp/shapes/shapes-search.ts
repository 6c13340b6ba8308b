import * as z from "zod/mini";
import { levels } from "../../project/levels.ts";
import { type Confidence, chunkKinds, chunkTypes, searchModes } from "../../protocol/values.ts";
import {
  cursor,
  described,
  type LabelledOutput,
  limit,
  maxTokens,
  optionalList,
  optionalText,
  type PagedOutput,
  since,
  text,
  until,
} from "./shape-parts.ts";

/** What the tools that search take and answer. */

export const searchCodeInput = z.strictObject({
  query: text('What the code does, or a name: "retry with backoff", "parseConfig"'),
  path: optionalList("Only these paths or globs"),
  language: optionalList('Only these: "typescript", "go"'),
  level: z.optional(described(z.array(z.enum(levels)), "Only these levels")),
  limit: limit(50, 10),
  cursor,
  // What stands on top is found as quickly in a short answer, and a miss costs less (bench:agent).
  max_tokens: maxTokens(1000),
});

export interface SearchCodeOutput extends PagedOutput {
  results: CodeFound[];
  /** What comes nearest where nothing answers the query; no answer. */
  nearest: CodeFound[];
  total: number;
}

interface CodeFound {
  /** From the project's root. */
  file: string;
  start_line: number;
  end_line: number;
  level: string;
  name: string;
  parent: string | null;
  /** That it answers the query: high, medium, low. */
  confidence: Confidence;
  reasons: string[];
  /** Whether the file has changed since it was indexed: lines may have moved. */
  is_stale: boolean;
  /** How it begins. */
  content: string;
}

export const searchSessionsInput = z.strictObject({
  query: optionalText('What it was about: "why do we retry"; for mode regex an RE2 pattern'),
  mode: z.optional(described(z.enum(searchModes), "fts: words; semantic: meaning; hybrid (default): both")),
  kind: z.optional(described(z.array(z.enum(chunkKinds)), "Only these")),
  type: z.optional(described(z.array(z.enum(chunkTypes)), "annotated: notes by people")),
  files: optionalList("Only turns that touched these paths or globs"),
  session_id: optionalText("Only this session", 200),
  branch: optionalText("Only this branch", 300),
  agent: optionalText('"claude", "codex" or "gemini"', 50),
  commit: optionalText("Only what led to this commit", 200),
  event: optionalText("Only this event (id or title)", 300),
  since,
  until,
  all_projects: z.optional(described(z.boolean(), "Also in other local projects")),
  limit: limit(50, 10),
  cursor,
  max_tokens: maxTokens(),
});

export interface SearchSessionsOutput extends LabelledOutput, PagedOutput {
  results: SessionFound[];
  /** What comes nearest where nothing answers the query; no answer. */
  nearest: SessionFound[];
  total: number;
}

interface SessionFound {
  session_id: string;
  title: string | null;
  agent: string;
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
  /** That it answers the query: high, medium, low; null without a query. */
  confidence: Confidence | null;
  /** What a person noted there. */
  note: string | null;
  snippet: string;
  files: string[];
  /** Of the files: fresh, drifted (changed since), orphaned (gone). */
  freshness: string | null;
  /** On an abandoned branch of the conversation. */
  is_abandoned: boolean;
  /** The commits that it led to, each with what became of it. */
  commits: string[];
}

export const relatedInput = z.strictObject({
  query: optionalText("What it is about; with files, ranks the sessions that touched them"),
  files: optionalList("Paths or globs; without query and files: the uncommitted changes"),
  limit: limit(50, 10),
  cursor,
  max_tokens: maxTokens(),
});

export interface RelatedOutput extends LabelledOutput, PagedOutput {
  /** Those that sessions were looked up for. */
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
}
