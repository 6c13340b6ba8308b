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
  optionalWords,
  since,
  text,
  textOrNull,
  texts,
  until,
  words,
} from "./shape-parts.ts";

/** What the tools about checkpoints and the origin of lines take and give. */

const line = (description: string) => z.optional(described(z.int().check(z.minimum(1)), description));

export const listCheckpointsInput = z.strictObject({
  session_id: optionalWords("Only those that this session led to: its id or the beginning of it", 200),
  branch: optionalWords("Only those made on this branch", 300),
  since,
  until,
  limit: limit(100, 20),
  cursor,
  max_tokens: maxTokens(),
});

export const listCheckpointsOutput = z.object({
  label,
  checkpoints: z.array(
    z.object({
      id: text,
      commit: text,
      subject: text,
      author: text,
      branch: textOrNull,
      created_at: text,
      insertions: number,
      deletions: number,
      agent_lines: described(number, "Of the lines that were added, those that agents wrote"),
      human_lines: number,
      unknown_lines: number,
      sessions: z.array(z.object({ session_id: text, title: textOrNull, turns: z.array(number) })),
      rewritten_as: described(textOrNull, "The commit that took its place by a rebase or an amendment"),
    }),
  ),
  total: number,
  next_cursor: nextCursor,
  notes,
});

export const whyInput = z.strictObject({
  file: words('From the project\'s root; lines may follow: "src/auth.ts:10-20"'),
  first_line: line("From 1; without lines: who wrote every line of the file"),
  last_line: line("Left out: only the first"),
  revision: optionalWords("The file as it was in this commit", 300),
  cursor,
  max_tokens: maxTokens(),
});

const author = {
  author: described(text, "agent, human or unknown"),
  confidence: described(number, "0 to 1"),
  agent: textOrNull,
  session_id: textOrNull,
  turn: numberOrNull,
  commit: described(textOrNull, "Left out: not committed yet"),
  person: described(textOrNull, "Who committed it, as git says"),
  authored_at: textOrNull,
};

const decision = z.object({
  text,
  session_id: textOrNull,
  turn: numberOrNull,
  timestamp: textOrNull,
  is_before: described(z.boolean(), "It came before the lines were written, or with them"),
});

export const whyOutput = z.object({
  label,
  file: text,
  first_line: numberOrNull,
  last_line: numberOrNull,
  state: described(
    textOrNull,
    "stands; reconsidered (something was decided later); reverted, elsewhere or gone (the commit); uncommitted; unknown",
  ),
  origins: described(
    z.array(
      z.object({
        lines: described(text, 'Which of the lines: "10-14,18-18"'),
        ...author,
        model: textOrNull,
        session_title: textOrNull,
        subject: textOrNull,
        checkpoint_id: textOrNull,
        prompt: described(textOrNull, "What was asked for when they were written"),
        said: described(textOrNull, "What the agent said about it"),
      }),
    ),
    "Of lines that were named: where they come from, what tells most first",
  ),
  decisions: described(z.array(decision), "What was decided near them"),
  earlier: described(
    z.array(z.object({ how: text, place: text, text, commit: textOrNull, prompt: textOrNull })),
    "What stood there before, step by step back",
  ),
  later: described(texts, "What happened to the file since"),
  summary: described(
    z.nullable(z.object({ lines: number, agent: number, human: number, unknown: number })),
    "Of a whole file: lines by who wrote them",
  ),
  ranges: described(
    z.array(z.object({ first_line: number, last_line: number, ...author })),
    "Of a whole file: who wrote which lines",
  ),
  next_cursor: nextCursor,
  notes,
});

export const rewindPreviewInput = z.strictObject({
  target: words("A checkpoint's id, a commit, a branch or a tag", 300),
  patch: z.optional(
    described(z.boolean(), "Also the difference from there to the files as they are, as a patch"),
  ),
  max_tokens: maxTokens(),
});

export const rewindPreviewOutput = z.object({
  label,
  checkpoint_id: textOrNull,
  commit: text,
  tree: described(text, "git's hash of all the files as they were"),
  subject: text,
  author: text,
  created_at: text,
  branch: textOrNull,
  fate: described(text, "Where the commit is now: in HEAD's history, on other branches, reverted, gone"),
  made: described(textOrNull, "What the commit itself changed"),
  since: described(
    z.nullable(
      z.object({ commits_ahead: numberOrNull, files: number, insertions: number, deletions: number }),
    ),
    "How far the files as they are now are from it",
  ),
  files: described(texts, 'Those that going back would change: "src/a.ts +3 -1"'),
  sessions: z.array(
    z.object({
      session_id: text,
      title: textOrNull,
      agent: textOrNull,
      lines: described(number, "Of the commit, that it wrote"),
      turns: z.array(z.object({ turn: number, prompt: text })),
      said: described(textOrNull, "What the agent said last when the commit was made"),
      todos: described(texts, "What it had set out to do then"),
    }),
  ),
  patch: textOrNull,
  next: described(text, "How to go back; this tool never does"),
  notes,
});
