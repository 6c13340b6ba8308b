import * as z from "zod/mini";
import {
  branch,
  count,
  described,
  field,
  lazy,
  limit,
  notes,
  numberOrNull,
  place,
  revision,
  sessionField,
  since,
  strings,
  text,
  textOrNull,
  time,
  timeOrNull,
  until,
} from "../shape-parts.ts";
import { bindingHows } from "../values.ts";

/** The shapes of commits that sessions led to. */

export const checkpointsRequest = lazy(() =>
  z.object({
    session: sessionField,
    branch,
    file: field("only those that changed this file or directory", place),
    since,
    until,
    limit,
    surviving: field("also count the added lines that are left in the working tree", z.boolean()),
  }),
);
export type CheckpointsRequest = z.infer<ReturnType<typeof checkpointsRequest>>;

/** Numbers of lines, by who wrote them. */
export const linesByAuthor = lazy(() => z.object({ agent: count, human: count, unknown: count }));
export type LinesByAuthor = z.infer<ReturnType<typeof linesByAuthor>>;

/** A session's part in a commit. */
const checkpointSession = lazy(() =>
  z.object({
    session_id: text,
    title: textOrNull,
    agent: textOrNull,
    turns: z.array(z.number()),
    /** Lines of the commit that the session wrote. */
    lines: count,
    how: z.enum(bindingHows),
    confidence: z.number(),
  }),
);
export type CheckpointSession = z.infer<ReturnType<typeof checkpointSession>>;

export const checkpointSummary = lazy(() =>
  z.object({
    id: text,
    commit: text,
    tree: text,
    branch: textOrNull,
    /** The checkpoint before it. */
    parent_id: textOrNull,
    author: text,
    subject: text,
    committed_at: time,
    insertions: count,
    deletions: count,
    /** Lines that were added. */
    lines: linesByAuthor(),
    sessions: z.array(checkpointSession()),
    /** Commits that took its place. */
    rewritten_as: strings,
    /** Only with `surviving`: lines that say something, and how many of them are left; null: too many to look at. */
    surviving: z.optional(z.nullable(z.object({ added: count, left: count }))),
  }),
);
export type CheckpointSummary = z.infer<ReturnType<typeof checkpointSummary>>;

export const checkpointsAnswer = lazy(() =>
  z.object({ checkpoints: z.array(checkpointSummary()), total: count }),
);
export type CheckpointsAnswer = z.infer<ReturnType<typeof checkpointsAnswer>>;

/** An id, a commit's hash, or the beginning of either. */
export const checkpointRequest = lazy(() => z.object({ id: revision }));

const turnOfCheckpoint = lazy(() =>
  z.object({
    turn: z.number(),
    /** The beginning of the prompt; null if the turn is not stored. */
    prompt: textOrNull,
    started_at: timeOrNull,
  }),
);
export type TurnOfCheckpoint = z.infer<ReturnType<typeof turnOfCheckpoint>>;

const fileOfCheckpoint = lazy(() =>
  z.object({
    path: text,
    old_path: textOrNull,
    status: text,
    insertions: count,
    deletions: count,
    lines: linesByAuthor(),
  }),
);
export type FileOfCheckpoint = z.infer<ReturnType<typeof fileOfCheckpoint>>;

export const checkpointAnswer = lazy(() =>
  z.extend(checkpointSummary(), {
    parents: strings,
    /** In a line. */
    diff_summary: text,
    files: z.array(fileOfCheckpoint()),
    sessions: z.array(z.extend(checkpointSession(), { turns: z.array(turnOfCheckpoint()) })),
    /** What the agents were doing when it was made, by session. */
    agent_state: z.record(z.string(), z.unknown()),
    /** Checkpoints that directly follow it. */
    next_ids: strings,
  }),
);
export type CheckpointAnswer = z.infer<ReturnType<typeof checkpointAnswer>>;

/** Each a checkpoint's id, a commit's hash, the beginning of either, or a revision. */
export const diffRequest = lazy(() => z.object({ from: revision, to: z.optional(revision) }));

/** One side of a comparison: a checkpoint, or another commit. */
const comparedSide = lazy(() =>
  z.object({
    /** null: no session is known to have led to it. */
    id: textOrNull,
    commit: text,
    subject: textOrNull,
  }),
);
export type ComparedSide = z.infer<ReturnType<typeof comparedSide>>;

const fileDifference = lazy(() =>
  z.object({
    path: text,
    old_path: textOrNull,
    /** null: binary. */
    insertions: numberOrNull,
    deletions: numberOrNull,
  }),
);
export type FileDifference = z.infer<ReturnType<typeof fileDifference>>;

export const diffAnswer = lazy(() =>
  z.object({
    from: comparedSide(),
    to: comparedSide(),
    files: z.array(fileDifference()),
    insertions: count,
    deletions: count,
    /** Sessions that led to what one side has and the other has not. */
    sessions: z.array(
      z.object({
        session_id: text,
        title: textOrNull,
        /** Which side has it. */
        side: z.enum(["from", "to"]),
        checkpoints: strings,
        turns: z.array(turnOfCheckpoint()),
      }),
    ),
    patch: z.optional(text),
  }),
);
export type DiffAnswer = z.infer<ReturnType<typeof diffAnswer>>;

export const rewindRequest = lazy(() =>
  z.object({
    target: described("a checkpoint's id, a commit, a branch or a tag", revision),
    patch: field("show every line changed since", z.boolean()),
  }),
);

/** What an agent was doing when a commit was made, from stored data and so scrubbed. */
const sessionState = lazy(() =>
  z.object({
    /** The turn that was going on, or the last one before. */
    turn: numberOrNull,
    title: textOrNull,
    /** The beginning of its prompt. */
    prompt: textOrNull,
    /** The beginning of the agent's last message. */
    said: textOrNull,
    model: textOrNull,
    /** What it had set out to do. */
    todos: z.array(z.object({ text, status: text })),
  }),
);
export type SessionState = z.infer<ReturnType<typeof sessionState>>;

/**
 * What agents were doing when a commit was made, by the uid of their session, taken from what is stored and so
 * scrubbed. Kept with the checkpoint, as turns may be pruned by age.
 */
export type AgentState = Record<string, SessionState>;

/** A checkpoint's stored state; sessions with invalid entries are left out. */
export function readAgentState(stored: Record<string, unknown>): AgentState {
  return Object.fromEntries(
    Object.entries(stored).flatMap(([uid, state]) => {
      const { success, data } = sessionState().safeParse(state);
      return success ? [[uid, data] as [string, SessionState]] : [];
    }),
  );
}

const rewindSession = lazy(() =>
  z.object({
    session_id: text,
    title: textOrNull,
    agent: textOrNull,
    /** Lines of the commit that the session wrote. */
    lines: count,
    turns_total: count,
    /** The last ones that led to the commit, at most twenty. */
    turns: z.array(z.object({ turn: z.number(), prompt: text, timestamp: timeOrNull })),
    state: z.nullable(sessionState()),
  }),
);
export type RewindSession = z.infer<ReturnType<typeof rewindSession>>;

/** A commit, what the agents were doing, and the working tree's distance from it. */
export const rewindAnswer = lazy(() =>
  z.object({
    /** null: no session is known to have led to the commit. */
    checkpoint: textOrNull,
    commit: text,
    tree: text,
    subject: text,
    author: text,
    committed_at: time,
    /** Where it was made; null: unknown. */
    branch: textOrNull,
    reach: z.nullable(z.enum(["head", "elsewhere", "gone"])),
    branches: strings,
    reverted_by: textOrNull,
    /** What is checked out now; null: detached. */
    head_branch: textOrNull,
    head: textOrNull,
    /** Commits that only HEAD has, and those that only this one has; null if history does not show it. */
    ahead: numberOrNull,
    behind: numberOrNull,
    sessions: z.array(rewindSession()),
    /** From the commit to the files in the working tree; null if unknown. */
    changed_since: z.nullable(
      z.object({
        files_total: count,
        insertions: count,
        deletions: count,
        /** At most 200. */
        files: z.array(fileDifference()),
      }),
    ),
    patch: z.optional(text),
    restored: z.nullable(
      z.object({ changed: z.boolean(), files: count, come_back: textOrNull, submodules: strings }),
    ),
    worktree: textOrNull,
    notes,
  }),
);
export type RewindAnswer = z.infer<ReturnType<typeof rewindAnswer>>;
