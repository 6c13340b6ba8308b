import * as z from "zod/mini";
import type { Decision } from "../../protocol/decisions.ts";
import {
  cursor,
  described,
  type LabelledOutput,
  limit,
  maxTokens,
  type Output,
  optionalList,
  optionalText,
  type PagedOutput,
  since,
  text,
  until,
} from "./shape-parts.ts";

/** What the tools about sessions, decisions and notes take and answer. */

const sessionId = optionalText('Default: the latest other session; "current": your own', 200);

interface Session {
  id: string;
  title: string | null;
  agent: string;
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
  turn: z.optional(described(z.int().check(z.minimum(0)), "Read this turn in full")),
  limit: z._default(
    described(z.int().check(z.minimum(1), z.maximum(100)), "Last turns to list, 1 to 100"),
    10,
  ),
  cursor,
  max_tokens: maxTokens(),
});

export interface GetSessionOutput extends LabelledOutput, PagedOutput {
  session: Session;
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

export const listDecisionsInput = z.strictObject({
  query: optionalText("Only those about this, best first"),
  files: optionalList("Only where these paths or globs were touched"),
  since,
  until,
  limit: limit(100, 15),
  cursor,
  max_tokens: maxTokens(),
});

export interface ListDecisionsOutput extends LabelledOutput, PagedOutput {
  /** A note of a person weighs more than what was said. */
  decisions: Decision[];
  total: number;
}

export const addNoteInput = z.strictObject({
  text: text("A whole sentence with its reason; no secrets", 10_000),
  session_id: optionalText("The session that it is about; default: your own", 200),
});

export interface AddNoteOutput extends Output {
  id: string;
  /** As it was stored: without what looks like a secret. */
  text: string;
  session_id: string | null;
  branch: string | null;
  timestamp: string;
}
