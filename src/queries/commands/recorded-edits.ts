import type { FileEdit } from "../../agents/agent.ts";
import { relativizer } from "../../sessions/relative-paths.ts";
import { editsIn, storedTurns } from "../../sessions/stored-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { sessionById } from "../../store/memory/sessions/sessions.ts";
import { turnsWithFile } from "../../store/memory/sessions/turns.ts";

/** What an agent's edit did to a file. */
interface RecordedEdit {
  sessionId: number;
  sessionUid: string;
  turn: number;
  seq: number;
  at: number | null;
  removed: string[];
  added: string[];
}

/**
 * What agents did to a file in the latest turns that touched it, in the order in which they did it.
 * @param roots of the project and its worktrees
 */
export function recordedEditsOf(
  memory: Memory,
  [root = "", ...worktrees]: readonly string[],
  file: string,
  { maxTurns, leaves = () => false }: { maxTurns: number; leaves?: (sessionUid: string) => boolean },
): RecordedEdit[] {
  const edits: RecordedEdit[] = [];
  for (const { sessionId, number, files } of turnsWithFile(memory, file, maxTurns).reverse()) {
    const session = sessionById(memory, sessionId);
    const isEdited = files.some(({ path, how }) => path === file && how !== "read");
    if (session === null || !isEdited || leaves(session.uid)) continue;
    const relativize = relativizer({ root, worktrees, cwd: session.cwd });
    for (const turn of storedTurns(memory, sessionId, { first: number, last: number })) {
      for (const { line, edit } of editsIn(turn)) {
        if (relativize(edit.path) !== file) continue;
        const { seq, at } = line;
        edits.push({ sessionId, sessionUid: session.uid, turn: number, seq, at, ...changedBy(edit) });
      }
    }
  }
  return edits;
}

function changedBy({ hunks, content }: FileEdit): Pick<RecordedEdit, "removed" | "added"> {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const of = (sign: string) => lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1));
  return { removed: of("-"), added: hunks.length === 0 && content !== null ? content.split("\n") : of("+") };
}
