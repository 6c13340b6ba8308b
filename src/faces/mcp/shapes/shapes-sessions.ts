import * as z from "zod/mini";
import { type Decision, decisionsRequest } from "../../../features/decisions/operation.ts";
import { fixRequest } from "../../../features/fix/operation.ts";
import { howRequest } from "../../../features/how/operation.ts";
import { lostTextRequest } from "../../../features/lost/operation.ts";
import { annotateRequest } from "../../../features/notes/operation.ts";
import { type SessionBrief, sessionRequest } from "../../../features/sessions/operation.ts";
import { described, field, outside, text } from "../../../protocol/shape-parts.ts";
import {
  cursor,
  type LabelledOutput,
  limit,
  maxTokens,
  type Output,
  type PagedOutput,
  project,
} from "../tool.ts";

/** What the tools about sessions, decisions and notes take and answer. */

const sessionId = field('"current": your own', text);

interface Session {
  id: string;
  title: string | null;
  agent: string;
  /** The colleague who shared it; null: recorded here. */
  author: string | null;
  branch: string | null;
  started_at: string | null;
  last_at: string | null;
  turns: number;
  /** Of a subagent: the session that started it. */
  parent_id: string | null;
  forked_from: string | null;
}

interface Summary {
  /** llm, compaction (the agent's own) or extractive. */
  source: string;
  up_to_turn: number;
  text: string;
}

export const getSessionInput = z.strictObject({
  session_id: sessionId,
  turn: sessionRequest().shape.turn,
  limit: field("its last turns, 1 to 100", z.int().check(z.minimum(1), z.maximum(100))),
  cursor,
  max_tokens: field("500 to 20000", z.int().check(z.minimum(500), z.maximum(20_000))),
});

export interface GetSessionOutput extends LabelledOutput, PagedOutput {
  session: Session;
  /** The first answer; null where turns were asked for. */
  brief: Partial<SessionBrief> | null;
  summary: Summary | null;
  /** The latest first. */
  turns: {
    number: number;
    timestamp: string | null;
    prompt: string;
    /** How the agent's last words of the turn begin. */
    said: string;
    /** How often it used which: "Read 3, Edit 1". */
    tools: string;
    /** Files that it wrote. */
    changed: string[];
    is_abandoned: boolean;
    /** interrupted, error or unfinished; null: it ended with an answer. */
    state: string | null;
  }[];
  /** What people noted in it. */
  notes_taken: string[];
  /** That it touched. */
  files: string[];
  /** Their sessions' ids. */
  subagents: string[];
  /** The one that was asked for. */
  turn: { number: number; content: string } | null;
}

export const getSessionSummaryInput = z.strictObject({
  session_id: sessionId,
  max_tokens: maxTokens(),
});

export interface GetSessionSummaryOutput extends LabelledOutput, Output {
  session: Session;
  summary: Summary | null;
  /** That it changed. */
  files: string[];
}

const { q: query, file: files, limit: _, ...ofDecisions } = decisionsRequest().shape;

export const listDecisionsInput = z.strictObject({
  query: described("about this", query),
  files: described("touched these paths", files),
  ...ofDecisions,
  project,
  limit: limit(100, 15),
  cursor,
  max_tokens: maxTokens(),
});

export interface ListDecisionsOutput extends LabelledOutput, PagedOutput {
  /** A person's note weighs more than the conversation. */
  decisions: Decision[];
  total: number;
}

export const commandsInput = z
  .strictObject({
    how: field('to run: "one test", or a line that failed', howRequest().shape.q),
    error: field("as printed", fixRequest().shape.error),
    lost: field("a file, for its text that no commit holds", lostTextRequest().shape.file),
    max_tokens: maxTokens(1000),
  })
  .check(
    z.refine(({ how, error, lost }) => [how, error, lost].filter((one) => one !== undefined).length === 1, {
      path: ["how"],
    }),
  );

export interface CommandsOutput extends LabelledOutput, Output {
  /** found, maybe or none. */
  verdict: string;
  /** That worked, best first, with what was tried before them. */
  commands: {
    line: string;
    /** What the counted runs have in common; "" where that is the line. */
    form: string;
    directory: string;
    purpose: string;
    worked: number;
    failed: number;
    last_at: string | null;
    session_id: string;
    author: string | null;
    turn: number;
    failed_before: string[];
  }[];
  errors: {
    error: string;
    command: string;
    times: number;
    sessions: number;
    last_at: string | null;
    session_id: string;
    author: string | null;
    turn: number;
    fix: {
      session_id: string;
      author: string | null;
      turn: number;
      edits: string[];
      commands: string[];
      commit: string | null;
      stands: boolean | null;
    } | null;
  }[];
  /** The latest first. */
  lost: {
    lost_by: string;
    timestamp: string | null;
    session_id: string;
    author: string | null;
    turn: number;
    text: string;
  }[];
}

export const addNoteInput = z.strictObject({
  text: annotateRequest().shape.note,
  session_id: field("the session that it is about; default: your own", outside("session")),
});

export interface AddNoteOutput extends Output {
  id: string;
  /** As it was stored: without what looks like a secret. */
  text: string;
  session_id: string | null;
  branch: string | null;
  timestamp: string;
}
