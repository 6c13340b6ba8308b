import { createTwoFilesPatch } from "diff";
import { describeUnread } from "../../answers/backfill-hint.ts";
import type { RunContext } from "../../answers/operation.ts";
import { isFormatter } from "../../attribution/commands/command-means.ts";
import { isReadOnlyCommand } from "../../attribution/commands/shell.ts";
import type { Project } from "../../base/paths.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { listCommands } from "../../store/memory/commands.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { findSession } from "../../store/memory/sessions/sessions.ts";
import type { UndoAnswer, UndoneFile, undoRequest } from "./operation.ts";
import { type PlannedFile, planUndo, type UndoPlan } from "./plan.ts";

const maxCommands = 20;
/** Lines around a change in a patch. */
const contextLines = 3;

/** What taking a session back would do. @throws PommelError `not_found`; `usage` when several sessions are meant */
export async function previewUndo(
  { project, memory }: { project: Project; memory: Memory },
  { id, turn }: Shaped<typeof undoRequest>,
  { signal }: RunContext,
): Promise<UndoAnswer> {
  const session = findSession(memory, id);
  const plan = await planUndo(
    project,
    memory,
    { uid: session.uid, turn: turn ?? null },
    "working tree",
    signal,
  );
  return describeUndo(memory, session, turn ?? null, plan);
}

export function describeUndo(
  memory: Memory,
  session: SessionRecord,
  turn: number | null,
  { commits, uncommitted, files }: UndoPlan,
): UndoAnswer {
  const ran = listCommands(memory, { sessionId: session.id, ...(turn !== null && { turn }) }).filter(
    ({ line }) => !isReadOnlyCommand(line) && !isFormatter(line),
  );
  return {
    session_id: session.uid,
    title: session.title,
    agent: session.agent,
    turn,
    commits: commits.map(({ hash, subject }) => ({ hash, subject })),
    uncommitted,
    files: files.map(describeFile),
    commands: ran.slice(0, maxCommands).map((one) => ({ turn: one.turn, line: one.line })),
    commands_total: ran.length,
    applied: null,
    notes: describeUnread(memory),
  };
}

function describeFile({ path, now, wanted, movesTo, removed, restored, conflicts }: PlannedFile): UndoneFile {
  const isSame = now === wanted;
  return {
    path,
    action: isSame ? "unchanged" : wanted === null ? "deleted" : now === null ? "created" : "changed",
    moves_to: movesTo,
    lines_removed: removed,
    lines_restored: restored,
    patch: isSame
      ? ""
      : createTwoFilesPatch(path, movesTo ?? path, now ?? "", wanted ?? "", undefined, undefined, {
          context: contextLines,
        }),
    conflicts: conflicts.map(({ why, now, before }) => ({ why, now: [...now], before: [...before] })),
  };
}
