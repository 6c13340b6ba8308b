import * as z from "zod/mini";
import { defineLocalOperation } from "../../answers/local-operation.ts";
import { defineOperation } from "../../answers/operation.ts";
import type { Project } from "../../base/paths.ts";
import {
  count,
  field,
  lazy,
  notes,
  numberOrNull,
  type Shaped,
  sessionNamed,
  strings,
  text,
  textOrNull,
} from "../../protocol/shape-parts.ts";

export const undoRequest = lazy(() =>
  z.object({
    id: sessionNamed,
    turn: field("only this turn of it", z.int().check(z.minimum(1))),
  }),
);

const undoConflict = lazy(() =>
  z.object({
    why: z.enum(["changed since", "written together", "place gone"]),
    /** What stands there now, and what stood there before the session. */
    now: strings,
    before: strings,
  }),
);

const undoneFile = lazy(() =>
  z.object({
    path: text,
    /** created: it is there again. */
    action: z.enum(["changed", "deleted", "created", "unchanged"]),
    /** Where it goes back to; null: it stays where it is. */
    moves_to: textOrNull,
    lines_removed: count,
    lines_restored: count,
    /** As unified diff; empty for one that stays as it is. */
    patch: text,
    conflicts: z.array(undoConflict()),
  }),
);

export type UndoneFile = Shaped<typeof undoneFile>;

export const undoAnswer = lazy(() =>
  z.object({
    session_id: text,
    title: textOrNull,
    agent: textOrNull,
    turn: numberOrNull,
    /** Of HEAD's history, in which it changed something; the latest first. */
    commits: z.array(z.object({ hash: text, subject: text })),
    /** Whether it left something that is not committed. */
    uncommitted: z.boolean(),
    files: z.array(undoneFile()),
    /** What it ran that may have done something beyond the project's files; at most twenty, the latest first. */
    commands: z.array(z.object({ turn: z.number(), line: text })),
    commands_total: count,
    /** What was done about it. */
    applied: z.nullable(z.enum(["working tree", "branch"])),
    notes,
  }),
);

export type UndoAnswer = Shaped<typeof undoAnswer>;

export const previewUndo = defineOperation({
  name: "undoPreview",
  path: "GET /undo/:id",
  summary: "Show how the files would change if the changes of a session or turn were taken back",
  of: "memory",
  request: undoRequest,
  response: undoAnswer,
  answer: async () => (await import("./answer.ts")).previewUndo,
});

export interface UndoRequest extends Shaped<typeof undoRequest> {
  /** Make a branch of this name with the result, and leave the working tree; left out: change the working tree. */
  branch?: string | undefined;
}

/** Takes a session's changes back. */
export const undo = defineLocalOperation(async () => {
  const [{ applyUndo }, { withMemory }] = await Promise.all([
    import("./apply.ts"),
    import("../../answers/open.ts"),
  ]);
  return (project: Project, request: UndoRequest) =>
    withMemory(project, (memory) => applyUndo(project, memory, request));
});

/** What `pm undo --back` brought back. */
export interface BroughtBack {
  /** Of the session that had been undone. */
  session_id: string;
  files: string[];
}

/** Brings back what the latest `pm undo` here took back. */
export const bringBack = defineLocalOperation(async () => {
  const { bringBackLatest } = await import("./apply.ts");
  return (project: Project) => bringBackLatest(project);
});
