import * as z from "zod/mini";
import { blameRequest } from "../../../features/blame/operation.ts";
import { checkpointsRequest } from "../../../features/checkpoints/operation.ts";
import { rewindRequest } from "../../../features/rewind/operation.ts";
import { described, field, lineNumber, place, text } from "../../../protocol/shape-parts.ts";
import type { Verdict } from "../../../protocol/values.ts";
import { cursor, type LabelledOutput, limit, maxTokens, type Output, type PagedOutput } from "../tool.ts";

/** What the tools about checkpoints and the origin of lines take and answer. */

const { session: session_id, branch, since, until } = checkpointsRequest().shape;

export const listCheckpointsInput = z.strictObject({
  query: field("commits about this, best first", text),
  session_id,
  branch,
  since,
  until,
  limit: limit(100, 20),
  cursor,
  max_tokens: maxTokens(),
});

export interface ListCheckpointsOutput extends LabelledOutput, PagedOutput {
  checkpoints: {
    id: string;
    commit: string;
    subject: string;
    author: string;
    branch: string | null;
    created_at: string;
    insertions: number;
    deletions: number;
    /** Of the added lines, those that agents wrote. */
    agent_lines: number;
    human_lines: number;
    unknown_lines: number;
    /** With what links each with the commit, in words. */
    sessions: { session_id: string; title: string | null; evidence: string; turns: number[] }[];
    /** The commit that replaced it in a rebase or an amend. */
    rewritten_as: string | null;
  }[];
  /** With a query: all commits, whether sessions led to them or not. */
  commits: FoundCommit[];
  /** Whether the first commits answer the query; null without one. */
  verdict: Verdict | null;
  total: number;
}

interface FoundCommit {
  commit: string;
  checkpoint_id: string | null;
  subject: string;
  author: string;
  created_at: string | null;
  reasons: string[];
  snippet: string;
  sessions: { session_id: string; title: string | null; turns: number[] }[];
  files: string[];
  /** The commit that took it back. */
  reverted_by: string | null;
}

export const whyInput = z.strictObject({
  file: described('from the root: "src/auth.ts:10-20"', place),
  first_line: field("default: the whole file", lineNumber),
  last_line: field("default: first_line", lineNumber),
  revision: blameRequest().shape.rev,
  cursor,
  max_tokens: maxTokens(),
});

interface Author {
  /** agent, human, unknown, or before_agents: older than the first session. */
  author: string;
  /** 0 to 1. */
  confidence: number;
  /** How sure that is, in words: "98%", "ran a command"; empty where nobody is named. */
  evidence: string;
  agent: string | null;
  session_id: string | null;
  turn: number | null;
  /** Null: not committed yet. */
  commit: string | null;
  /** Who committed it, as git says. */
  person: string | null;
  authored_at: string | null;
}

export interface WhyOutput extends LabelledOutput, PagedOutput {
  file: string;
  first_line: number | null;
  last_line: number | null;
  /**
   * stands; reconsidered (something was decided later); reverted, elsewhere or gone (the commit); uncommitted; unknown.
   * Null of a whole file.
   */
  state: string | null;
  /** Of lines: where they come from, the most telling first. */
  origins: (Author & {
    /** "10-14,18-18". */
    lines: string;
    model: string | null;
    session_title: string | null;
    subject: string | null;
    checkpoint_id: string | null;
    /** What was asked for when they were written. */
    prompt: string | null;
    /** What the agent said about it. */
    said: string | null;
  })[];
  /** What was decided near them. */
  decisions: {
    text: string;
    session_id: string | null;
    turn: number | null;
    timestamp: string | null;
    /** Whether it came before the lines were written, or with them. */
    is_before: boolean;
  }[];
  /** Earlier versions, step by step back. */
  earlier: { how: string; place: string; text: string; commit: string | null; prompt: string | null }[];
  /** What happened to the file since. */
  later: string[];
  /** What calls or uses the definition that the lines are in, the surest first, and what changed there since. */
  used_by: string[];
  /** Of a whole file: lines by who wrote them. */
  summary: { lines: number; agent: number; human: number; unknown: number; before_agents: number } | null;
  /** Of a whole file: who wrote which lines. */
  ranges: (Author & { first_line: number; last_line: number })[];
}

export const rewindPreviewInput = z.strictObject({
  ...rewindRequest().shape,
  max_tokens: maxTokens(),
});

export interface RewindPreviewOutput extends LabelledOutput, Output {
  checkpoint_id: string | null;
  commit: string;
  /** git's hash of all the files as they were. */
  tree: string;
  subject: string;
  author: string;
  created_at: string;
  branch: string | null;
  /** Where the commit is now: in HEAD's history, on other branches, reverted, gone. */
  fate: string;
  /** What the commit itself changed. */
  made: string | null;
  /** How far the current files are from it. */
  since: { commits_ahead: number | null; files: number; insertions: number; deletions: number } | null;
  /** Those that going back would change: "src/a.ts +3 -1". */
  files: string[];
  sessions: {
    session_id: string;
    title: string | null;
    agent: string | null;
    /** Of the commit, those that it wrote. */
    lines: number;
    turns: { turn: number; prompt: string }[];
    /** What the agent said last when the commit was made. */
    said: string | null;
    /** What it had set out to do then. */
    todos: string[];
  }[];
  patch: string | null;
  /** How to go back; this tool never does. */
  next: string;
}
