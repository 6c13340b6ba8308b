import type { FileTouch, ToolAction, ToolUse } from "../../agents/agent.ts";
import type { TurnFile } from "../../store/memory/memory-records.ts";
import { packContent } from "../../store/memory/sessions/content.ts";
import type { TurnToStore } from "../../store/memory/sessions/turns.ts";
import { beginningOf } from "../../text/text-size.ts";
import { commandsOf } from "../commands/commands-of-turn.ts";
import { actionOf, type Turn } from "../turn-content.ts";
import { turnStateOf } from "../turn-state.ts";

/**
 * What is stored of a turn: its lines, and what lists and searches need: its files, its tools, what they did, the commands
 * that ran, how it ended, and the beginning of the prompt.
 */
export function turnToStore(
  turn: Turn,
  relativize: (path: string) => string,
): Pick<TurnToStore, "prompt" | "state" | "tools" | "actions" | "files" | "commands" | "content"> {
  return {
    prompt: promptBeginning(turn),
    state: turnStateOf(turn.lines),
    tools: toolCounts(turn),
    actions: actionCounts(turn),
    files: touchedFiles(turn, relativize),
    commands: commandsOf(turn, relativize),
    content: packContent(turn.lines),
  };
}

const strength = { read: 0, edit: 1, write: 2 } as const;

/** The tool uses of a turn in order, without failed ones, which did not change files. */
export function* effectiveUses(turn: Turn): Iterable<ToolUse> {
  const entries = turn.lines.flatMap((line) => line.entries);
  const failed = new Set<string>();
  for (const entry of entries) if (entry.kind === "tool_result" && entry.isError) failed.add(entry.id);
  for (const entry of entries) if (entry.kind === "tool_use" && !failed.has(entry.id)) yield entry;
}

/** Files that a turn touched, each with the strongest action on it, in order of their first touch. */
export function touchedFiles(turn: Turn, relativize: (path: string) => string): TurnFile[] {
  const files = new Map<string, FileTouch["how"]>();
  for (const use of effectiveUses(turn)) {
    for (const { path, how } of use.files) {
      const stored = relativize(path);
      const known = files.get(stored);
      if (known === undefined || strength[how] > strength[known]) files.set(stored, how);
    }
  }
  return [...files].map(([path, how]) => ({ path, how }));
}

/** Uses by tool, failed ones included. */
export function toolCounts(turn: Turn): Record<string, number> {
  return countUses(turn, ({ tool }) => tool);
}

/** Uses by their action, failed ones included. */
export function actionCounts(turn: Turn): Partial<Record<ToolAction, number>> {
  return countUses(turn, actionOf);
}

function countUses<Key extends string>(turn: Turn, keyOf: (use: ToolUse) => Key): Record<Key, number> {
  const counts = new Map<Key, number>();
  for (const { entries } of turn.lines) {
    for (const entry of entries) {
      if (entry.kind === "tool_use") counts.set(keyOf(entry), (counts.get(keyOf(entry)) ?? 0) + 1);
    }
  }
  return Object.fromEntries(counts) as Record<Key, number>;
}

/** The whole prompt; "" for a turn without one. */
export function promptOf(turn: Turn): string {
  const texts: string[] = [];
  for (const line of turn.lines)
    for (const entry of line.entries) if (entry.kind === "prompt") texts.push(entry.text);
  return texts.join("\n");
}

/** The beginning of the prompt, in one line of up to 300 characters, as turns keep it for lists. */
export function promptBeginning(turn: Turn): string {
  return beginningOf(promptOf(turn).slice(0, 4_000).replace(/\s+/g, " ").trim(), 300);
}
