import type { FileEdit } from "../agents/agent.ts";
import type { Memory } from "../store/memory/memory.ts";
import type { TurnRecord } from "../store/memory/memory-records.ts";
import { unpackContent } from "../store/memory/sessions/content.ts";
import { contentOf, turnsOf } from "../store/memory/sessions/turns.ts";
import type { StoredLine, Turn } from "./turn-content.ts";

/**
 * The turns of a session from one number to another, both included, with everything in them; one at a time, as all of a
 * long session would be too much.
 */
export function* storedTurns(
  memory: Memory,
  sessionId: number,
  range: { first?: number; last?: number | null } = {},
): Generator<Turn & { record: TurnRecord }, void, undefined> {
  for (const record of turnsOf(memory, sessionId, range)) {
    const content = contentOf(memory, sessionId, record.number);
    if (content === null) continue;
    const { number, branch, abandoned } = record;
    yield { number, branch, abandoned, lines: unpackContent<StoredLine>(content), record };
  }
}

/** The edits that went well in a turn, each with the line that reports it. */
export function* editsIn({ lines }: Pick<Turn, "lines">): Generator<{ line: StoredLine; edit: FileEdit }> {
  for (const line of lines)
    for (const entry of line.entries)
      if (entry.kind === "tool_result" && !entry.isError)
        for (const edit of entry.edits ?? []) yield { line, edit };
}
