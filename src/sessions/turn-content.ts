import type { FileEdit, ToolUse, TranscriptEntry } from "../agents/agent.ts";
import { inferAction } from "../agents/reading/tool-calls.ts";
import { type ToolAction, toolActions } from "../protocol/values.ts";
import type { Memory } from "../store/memory/memory.ts";
import type { TurnRecord } from "../store/memory/memory-records.ts";
import { unpackContent } from "../store/memory/sessions/content.ts";
import { findTurnContent, listTurns } from "../store/memory/sessions/turns.ts";

/** A line as it is archived: scrubbed, with its order in the session. */
export interface StoredLine {
  uid: string | null;
  seq: number;
  at: number | null;
  entries: TranscriptEntry[];
  /** The model's name, for lines of an agent's message. */
  model?: string;
  /** Where the agent was, if not where the session was launched. */
  cwd?: string;
}

/** A turn with all its messages and actions. */
export interface Turn {
  /** From 1; 0 holds everything before the first prompt. */
  number: number;
  branch: string | null;
  abandoned: boolean;
  lines: StoredLine[];
}

/** A turn beside what is stored of its prompt. */
export type PromptedTurn = Turn & { record: Pick<TurnRecord, "prompt"> };

/**
 * A call's action: from its adapter, or, for a call archived by an older Pommel or sent by another machine, from the
 * shape of its input.
 */
export function classifyToolUse(use: ToolUse): ToolAction {
  return toolActions.find((action) => action === use.action) ?? inferAction(use);
}

/**
 * The turns of a session from one number to another, both included, with everything in them; one at a time, as all of a
 * long session would be too much.
 */
export function* readStoredTurns(
  memory: Memory,
  sessionId: number,
  range: { first?: number; last?: number | null } = {},
): Generator<Turn & { record: TurnRecord }, void, undefined> {
  let { first = 0 } = range;
  for (;;) {
    const page = listTurns(memory, sessionId, { ...range, first, limit: turnsInPage });
    for (const record of page) {
      const content = findTurnContent(memory, sessionId, record.number);
      if (content === null) continue;
      const { number, branch, abandoned } = record;
      yield { number, branch, abandoned, lines: unpackContent<StoredLine>(content), record };
    }
    if (page.length < turnsInPage) return;
    first = page.at(-1)!.number + 1;
  }
}

/** A session may have a hundred thousand turns: so many are in memory at once. */
const turnsInPage = 500;

/** The edits that went well in a turn, each with the line that reports it. */
export function* listEdits<Line extends Pick<StoredLine, "entries">>({
  lines,
}: {
  lines: readonly Line[];
}): Generator<{ line: Line; edit: FileEdit }> {
  for (const line of lines)
    for (const entry of line.entries)
      if (entry.kind === "tool_result" && !entry.isError)
        for (const edit of entry.edits ?? []) yield { line, edit };
}

/** The lines that an edit took out of a file, and that it put in; a file that is written whole takes out none. */
export function pickChangedLines({ hunks, content }: FileEdit): { removed: string[]; added: string[] } {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const pick = (sign: string) => lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1));
  return {
    removed: pick("-"),
    added: hunks.length === 0 && content !== null ? content.split("\n") : pick("+"),
  };
}
