import * as z from "zod/mini";
import { defineLocalOperation } from "../../answers/local-operation.ts";
import { defineOperation } from "../../answers/operation.ts";
import { asked, inProject, where } from "../../protocol/everywhere.ts";
import {
  branch,
  count,
  described,
  field,
  lazy,
  limit,
  numberOrNull,
  place,
  revision,
  type Shaped,
  sessionField,
  since,
  strings,
  text,
  textOrNull,
  time,
  timeOrNull,
  until,
} from "../../protocol/shape-parts.ts";
import { bindingHows } from "../../protocol/values.ts";

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

export type CheckpointsRequest = Shaped<typeof checkpointsRequest>;

/** Numbers of lines, by who wrote them. */
export const linesByAuthor = lazy(() => z.object({ agent: count, human: count, unknown: count }));

export type LinesByAuthor = Shaped<typeof linesByAuthor>;

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

export type CheckpointSession = Shaped<typeof checkpointSession>;

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

export type CheckpointSummary = Shaped<typeof checkpointSummary>;

export const checkpointsAnswer = lazy(() =>
  z.object({ checkpoints: z.array(checkpointSummary()), total: count }),
);

export type CheckpointsAnswer = Shaped<typeof checkpointsAnswer>;

/** An id, a commit's hash, or the beginning of either. */
export const checkpointRequest = lazy(() =>
  z.object({ id: described("a commit, by its hash or the beginning of it, or a branch or tag", revision) }),
);

const turnOfCheckpoint = lazy(() =>
  z.object({
    turn: z.number(),
    /** The beginning of the prompt; null if the turn is not stored. */
    prompt: textOrNull,
    started_at: timeOrNull,
  }),
);

export type TurnOfCheckpoint = Shaped<typeof turnOfCheckpoint>;

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

export type FileOfCheckpoint = Shaped<typeof fileOfCheckpoint>;

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

export type CheckpointAnswer = Shaped<typeof checkpointAnswer>;

/** Each a checkpoint's id, a commit's hash, the beginning of either, or a revision. */
export const diffRequest = lazy(() =>
  z.object({
    from: described("the earlier commit", revision),
    to: field("the later commit (default: HEAD)", revision),
  }),
);

/** One side of a comparison: a checkpoint, or another commit. */
const comparedSide = lazy(() =>
  z.object({
    /** null: no session is known to have led to it. */
    id: textOrNull,
    commit: text,
    subject: textOrNull,
  }),
);

export type ComparedSide = Shaped<typeof comparedSide>;

export const fileDifference = lazy(() =>
  z.object({
    path: text,
    old_path: textOrNull,
    /** null: binary. */
    insertions: numberOrNull,
    deletions: numberOrNull,
  }),
);

export type FileDifference = Shaped<typeof fileDifference>;

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

export type DiffAnswer = Shaped<typeof diffAnswer>;

export const listCheckpoints = defineOperation({
  name: "checkpoints",
  path: "GET /checkpoints",
  summary: "List the commits that sessions produced, the latest first",
  of: "memory",
  request: checkpointsRequest,
  response: checkpointsAnswer,
  answer:
    async () =>
    async ({ project, memory }, request) =>
      (await import("./checkpoints.ts")).listStoredCheckpoints(memory, request, project.root),
});

export const checkpointsEverywhereRequest = lazy(() => z.extend(checkpointsRequest(), where));

export const checkpointsEverywhereResponse = lazy(() =>
  z.object({ checkpoints: z.array(z.extend(checkpointSummary(), inProject)), total: count, ...asked }),
);

export const checkpointsEverywhere = defineOperation({
  name: "checkpointsEverywhere",
  path: "GET /everywhere/checkpoints",
  summary: "List the commits that sessions produced in all projects, the latest first",
  of: "machine",
  request: checkpointsEverywhereRequest,
  response: checkpointsEverywhereResponse,
  answer: async () => async (_, request) =>
    (await import("./everywhere.ts")).listCheckpointsEverywhere(request),
});

export const showCheckpoint = defineOperation({
  name: "checkpoint",
  path: "GET /checkpoints/:id",
  summary: "Show a checkpoint: its commit, sessions, turns and files",
  of: "memory",
  request: checkpointRequest,
  response: checkpointAnswer,
  answer:
    async () =>
    async ({ project, memory }, { id }) =>
      (await import("./checkpoints.ts")).showCheckpoint(project, memory, id),
});

export const compareCheckpoints = defineOperation({
  name: "compare",
  path: "GET /compare",
  summary: "Compare two checkpoints or commits, with the sessions between them",
  of: "memory",
  request: diffRequest,
  response: diffAnswer,
  answer:
    async () =>
    async ({ project, memory }, { from, to = "HEAD" }) =>
      (await import("./compare-checkpoints.ts")).diffCheckpoints(project, memory, { from, to }),
});

/** Works out who wrote the lines of earlier commits. */
export const backfill = defineLocalOperation(async () => (await import("./checkpoints.ts")).backfillHere);
