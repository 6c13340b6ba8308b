import type { Entry, FileTouch } from "../../agents/agent.ts";
import type { TurnFile } from "../../store/memory/memory-records.ts";
import { beginningOf } from "../../text/text-size.ts";
import type { Turn } from "../turn-content.ts";

/** What is told of a turn in lists: its files, its tools, the beginning of what was asked. */

const strength = { read: 0, edit: 1, write: 2 } as const;

type ToolUse = Extract<Entry, { kind: "tool_use" }>;

/** The tool uses of a turn in order, without those whose result was an error, which did nothing to files. */
function* effectiveUses(turn: Turn): Iterable<ToolUse> {
  const entries = turn.lines.flatMap((line) => line.entries);
  const failed = new Set<string>();
  for (const entry of entries) if (entry.kind === "tool_result" && entry.isError) failed.add(entry.id);
  for (const entry of entries) if (entry.kind === "tool_use" && !failed.has(entry.id)) yield entry;
}

/** Files that a turn touched, each with the strongest of what was done to it, in order of their first touch. */
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
  const counts = new Map<string, number>();
  for (const line of turn.lines)
    for (const entry of line.entries)
      if (entry.kind === "tool_use") counts.set(entry.tool, (counts.get(entry.tool) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/** What was asked, whole; "" for a turn without a prompt. */
export function promptOf(turn: Turn): string {
  const said: string[] = [];
  for (const line of turn.lines)
    for (const entry of line.entries) if (entry.kind === "prompt") said.push(entry.text);
  return said.join("\n");
}

/** The beginning of what was asked, in one line of up to 300 characters, as turns keep it for lists. */
export function promptBeginning(turn: Turn): string {
  return beginningOf(promptOf(turn).slice(0, 4_000).replace(/\s+/g, " ").trim(), 300);
}
