import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { decision } from "../../protocol/decision.ts";
import { lineAuthor } from "../../protocol/line-author.ts";
import {
  count,
  field,
  lazy,
  lineNumber,
  notes,
  numberOrNull,
  places,
  revision,
  type Shaped,
  sessionNamed,
  strings,
  text,
  textOrNull,
  timeOrNull,
} from "../../protocol/shape-parts.ts";
import { bindingHows } from "../../protocol/values.ts";
import { linesByAuthor } from "../checkpoints/operation.ts";

export const reviewRequest = lazy(() =>
  z.object({
    range: field(
      "a commit, a branch (since it left the default one), or a range such as main..HEAD (default: your uncommitted changes)",
      revision,
    ),
    file: field("only these paths", places),
    lines_only: field(
      "only what changed, at once: without who wrote it, its sessions, decisions and tests",
      z.boolean(),
    ),
  }),
);

/** A line of a hunk: one that stays, one that was added, one that was removed. */
const reviewLine = lazy(() =>
  z.object({
    mark: z.enum([" ", "+", "-"]),
    text,
    /** Who wrote it: a place in `authors`; null for lines that nobody added here. */
    by: numberOrNull,
  }),
);

export type ReviewLine = Shaped<typeof reviewLine>;

const reviewHunk = lazy(() =>
  z.object({
    /** Of its first line, removed ones left out, and added ones. */
    old_start: lineNumber,
    new_start: lineNumber,
    lines: z.array(reviewLine()),
  }),
);

export type ReviewHunk = Shaped<typeof reviewHunk>;

const reviewFile = lazy(() =>
  z.object({
    path: text,
    old_path: textOrNull,
    status: z.enum(["A", "M", "D", "R", "C", "T"]),
    insertions: count,
    deletions: count,
    /** Of its added lines. */
    lines: linesByAuthor(),
    /** Empty for what is no text. */
    hunks: z.array(reviewHunk()),
    /** Changed lines that are left out, as the file or the change is long. */
    lines_left_out: count,
  }),
);

export type ReviewFile = Shaped<typeof reviewFile>;

/** A commit of the change. */
const reviewCommit = lazy(() =>
  z.object({
    hash: text,
    parents: strings,
    author: text,
    authored_at: timeOrNull,
    committed_at: timeOrNull,
    subject: text,
    /** The message without its subject, as written. */
    body: text,
    /** Where it was made; null: unknown. */
    branch: textOrNull,
    /** Commits that took its place. */
    rewritten_as: strings,
  }),
);

export type ReviewCommit = Shaped<typeof reviewCommit>;

const reviewSession = lazy(() =>
  z.object({
    session_id: text,
    title: textOrNull,
    agent: textOrNull,
    /** The colleague who shared it; left out for what was recorded here. */
    author: z.optional(textOrNull),
    /** Added lines that it wrote. */
    lines: count,
    /** What ties it to a commit of the change; null: only the lines. */
    how: z.nullable(z.enum(bindingHows)),
    confidence: numberOrNull,
    /** The last turn in which it ran tests; 0: it ran other commands only; null: that is not known. */
    last_test_turn: numberOrNull,
    /** Turns that wrote lines of the change or led to a commit of it. */
    turns: z.array(
      z.object({
        turn: z.number(),
        /** The beginning of the prompt; null if the turn is not stored. */
        prompt: textOrNull,
        started_at: timeOrNull,
        lines: count,
      }),
    ),
  }),
);

export type ReviewSession = Shaped<typeof reviewSession>;

/** A decision about the files, and what the change does to it. */
const reviewDecision = lazy(() =>
  z.extend(decision(), {
    /** It was made in a turn that led to the change. */
    made_here: z.boolean(),
    /** Lines that were written in its turn, and that the change removes. */
    lines_removed: count,
    /** Where the first of them was, as path:line; null: none is removed. */
    removed_at: textOrNull,
  }),
);

export type ReviewDecision = Shaped<typeof reviewDecision>;

export const reviewAnswer = lazy(() =>
  z.object({
    kind: z.enum(["commit", "range", "uncommitted"]),
    /** Only the lines were asked for: nobody looked at who wrote them, and at what is tied to them. */
    lines_only: z.boolean(),
    /** Hashes; null: the working tree, and before the first commit. */
    from: textOrNull,
    to: textOrNull,
    /** The latest first; at most two hundred, without merges. */
    commits: z.array(reviewCommit()),
    commits_total: count,
    /** The merge that is meant, which is none of them. */
    merge: z.nullable(reviewCommit()),
    /** Of those listed; who wrote their lines, and which sessions led to them, is not known yet. */
    commits_not_analysed: count,
    files: z.array(reviewFile()),
    insertions: count,
    deletions: count,
    lines: linesByAuthor(),
    /** Who wrote added lines. */
    authors: z.array(lineAuthor()),
    /** Those with the most lines first. */
    sessions: z.array(reviewSession()),
    /** What was decided about the files: what the change undoes first, then the latest. */
    decisions: z.array(reviewDecision()),
    /** Files of which commits of the change took lines out again that others had added, those with the most such lines first. */
    reworked: z.array(z.object({ path: text, lines: count, commits: count })),
    /** Commits of the change that revert another one. */
    reverts: z.array(z.object({ hash: text, subject: text, reverted: text })),
    /** Tests among the files. */
    tests_changed: strings,
    /** Tests that the graph of the code ties to the files, and that the change leaves alone. */
    tests: strings,
    notes,
  }),
);

export type ReviewAnswer = Shaped<typeof reviewAnswer>;

export const reviewChange = defineOperation({
  name: "review",
  path: "GET /review",
  summary: "Show a change line by line: who wrote it, and for which prompt",
  of: "memory, if any",
  editors: true,
  request: reviewRequest,
  response: reviewAnswer,
  answer:
    async () =>
    async ({ project, memory }, request, { signal }) =>
      (await import("./review.ts")).review(project, memory, request, signal),
});

export const undoneDecisionsRequest = lazy(() => z.object({ id: sessionNamed }));

export const undoneDecisionsResponse = lazy(() => z.object({ decisions: z.array(reviewDecision()) }));

export const undoneDecisions = defineOperation({
  name: "undoneDecisions",
  path: "GET /review/decisions",
  summary:
    "List the decisions that a session undid: its commits removed lines that other sessions had written because of them",
  of: "memory",
  request: undoneDecisionsRequest,
  response: undoneDecisionsResponse,
  answer:
    async () =>
    async ({ project, memory }, { id }, { signal }) => ({
      decisions: await (await import("./review.ts")).findUndoneDecisions(project, memory, id, signal),
    }),
});
