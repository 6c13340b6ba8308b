import type { Memory } from "../store/memory/memory.ts";
import { findSessionById } from "../store/memory/sessions/sessions.ts";
import { listTurnsWithFile } from "../store/memory/sessions/turns.ts";
import { createRelativizer } from "./relative-paths.ts";
import { listEdits, pickChangedLines, readStoredTurns } from "./turn-content.ts";

/** What an agent's edit did to a file. */
interface RecordedEdit {
  sessionId: number;
  sessionUid: string;
  author: string | null;
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
export function listRecordedEdits(
  memory: Memory,
  [root = "", ...worktrees]: readonly string[],
  file: string,
  { maxTurns, leaves = () => false }: { maxTurns: number; leaves?: (sessionUid: string) => boolean },
): RecordedEdit[] {
  const edits: RecordedEdit[] = [];
  for (const { sessionId, number, files } of listTurnsWithFile(memory, file, maxTurns).reverse()) {
    const session = findSessionById(memory, sessionId);
    const isEdited = files.some(({ path, how }) => path === file && how !== "read");
    if (session === null || !isEdited || leaves(session.uid)) continue;
    const relativize = createRelativizer({ root, worktrees, cwd: session.cwd });
    for (const turn of readStoredTurns(memory, sessionId, { first: number, last: number })) {
      for (const { line, edit } of listEdits(turn)) {
        if (relativize(edit.path) !== file) continue;
        const { seq, at } = line;
        edits.push({
          sessionId,
          sessionUid: session.uid,
          author: session.author ?? null,
          turn: number,
          seq,
          at,
          ...pickChangedLines(edit),
        });
      }
    }
  }
  return edits;
}
