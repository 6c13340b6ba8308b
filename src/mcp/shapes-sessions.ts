import * as z from "zod/mini";
import {
  cursor,
  described,
  label,
  limit,
  maxTokens,
  nextCursor,
  notes,
  number,
  numberOrNull,
  optionalList,
  optionalWords,
  since,
  text,
  textOrNull,
  texts,
  until,
  words,
} from "./shape-parts.ts";

/** What the tools about sessions, decisions and notes take and give. */

const sessionId = optionalWords(
  'Its id or the beginning of one; "current": the one that you are in; left out: the latest other one',
  200,
);

const session = z.object({
  id: text,
  title: textOrNull,
  agent: text,
  branch: textOrNull,
  started_at: textOrNull,
  last_at: textOrNull,
  turns: number,
  parent_id: described(textOrNull, "Of a subagent: whose it is"),
  forked_from: textOrNull,
});

const summary = z.nullable(
  z.object({
    source: described(text, "llm, compaction (the agent's own) or extractive"),
    up_to_turn: number,
    text,
  }),
);

export const getSessionInput = z.strictObject({
  session_id: sessionId,
  turn: z.optional(
    described(z.int().check(z.minimum(0)), "Give this turn in full: what was asked, said and done"),
  ),
  limit: z._default(
    described(z.int().check(z.minimum(1), z.maximum(100)), "Without turn: at most so many of the last turns"),
    10,
  ),
  cursor,
  max_tokens: maxTokens(),
});

export const getSessionOutput = z.object({
  label,
  session,
  summary,
  turns: described(
    z.array(
      z.object({
        number,
        timestamp: textOrNull,
        prompt: text,
        said: described(text, "How the agent's last words of the turn begin"),
        tools: described(text, 'How often it used which: "Read 3, Edit 1"'),
        changed: described(texts, "Files that it wrote"),
        is_abandoned: z.boolean(),
      }),
    ),
    "The latest first",
  ),
  notes_taken: described(texts, "What people noted in it"),
  files: described(texts, "That it touched"),
  subagents: described(texts, "Their sessions' ids"),
  turn: described(z.nullable(z.object({ number, content: text })), "The one that was asked for"),
  next_cursor: nextCursor,
  notes,
});

export const getSessionSummaryInput = z.strictObject({
  session_id: sessionId,
  max_tokens: maxTokens(),
});

export const getSessionSummaryOutput = z.object({
  label,
  session,
  summary,
  files: described(texts, "That it changed"),
  notes,
});

export const listDecisionsInput = z.strictObject({
  query: optionalWords("Only those about this, the best first; left out: all, the latest first"),
  files: optionalList("Only where these files, directories or globs were touched"),
  since,
  until,
  limit: limit(100, 15),
  cursor,
  max_tokens: maxTokens(),
});

export const listDecisionsOutput = z.object({
  label,
  decisions: z.array(
    z.object({
      text,
      source: described(text, "annotation: a person's note, which weighs more; conversation: said there"),
      session_id: textOrNull,
      session_title: textOrNull,
      turn: numberOrNull,
      timestamp: textOrNull,
      branch: textOrNull,
      files: texts,
      score: numberOrNull,
    }),
  ),
  total: number,
  next_cursor: nextCursor,
  notes,
});

export const addNoteInput = z.strictObject({
  text: words("What to remember, in a whole sentence with its reason; no secrets", 10_000),
  session_id: optionalWords("The session that it is about; left out: the one that you are in", 200),
});

export const addNoteOutput = z.object({
  id: text,
  text: described(text, "As it was stored: what looks like a secret is cut out"),
  session_id: textOrNull,
  branch: textOrNull,
  timestamp: text,
  notes,
});
