import * as z from "zod/mini";
import { defineLocalOperation } from "../../answers/local-operation.ts";
import { defineOperation } from "../../answers/operation.ts";
import type { Project } from "../../base/paths.ts";
import { sessionState } from "../../protocol/agent-state.ts";
import {
  count,
  described,
  field,
  lazy,
  notes,
  numberOrNull,
  revision,
  type Shaped,
  strings,
  text,
  textOrNull,
  time,
  timeOrNull,
} from "../../protocol/shape-parts.ts";
import { fileDifference } from "../checkpoints/operation.ts";

export const rewindRequest = lazy(() =>
  z.object({
    target: described("a checkpoint's id, a commit, a branch or a tag", revision),
    patch: field("show every line changed since", z.boolean()),
  }),
);

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

export type RewindSession = Shaped<typeof rewindSession>;

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

export type RewindAnswer = Shaped<typeof rewindAnswer>;

export const previewRewind = defineOperation({
  name: "rewindPreview",
  path: "GET /rewind",
  summary: "Show what going back to a checkpoint or commit would change",
  of: "memory, if any",
  request: rewindRequest,
  response: rewindAnswer,
  answer:
    async () =>
    async ({ project, memory }, { target, patch }) =>
      (await import("./rewind.ts")).rewindTo(project, memory, { target, patch }),
});

export interface RewindRequest {
  /** A checkpoint's id, a commit's hash, a beginning of either, or a revision as git takes it. */
  target: string;
  /** Give the whole difference, not only the files. */
  patch?: boolean | undefined;
  /** Make the working tree the commit's. */
  restore?: boolean | undefined;
  /** Check the commit out there; absolute. */
  worktree?: string | undefined;
}

/** Puts files back as they were. */
export const rewind = defineLocalOperation(async () => {
  const [{ rewindTo }, { withMemoryOrNote }] = await Promise.all([
    import("./rewind.ts"),
    import("../../answers/open.ts"),
  ]);
  return (project: Project, request: RewindRequest) =>
    withMemoryOrNote(project, (memory) => rewindTo(project, memory, request));
});
