import type { FileEdit, ToolResult, TranscriptEntry } from "../../src/agents/agent.ts";
import type { StoredLine, Turn } from "../../src/sessions/turn-content.ts";

/**
 * For tests: conversations as a list of messages and actions.
 *
 *     conversation(prompt("why does it fail?"), ran("npm test", "1 failed", { isError: true }), text("Because ..."),
 *       pause(10), prompt("now the docs"))
 */

/** What happens in a conversation: an entry (a line of its own), several of them, or time that passes. */
export type Happening = TranscriptEntry | TranscriptEntry[] | { kind: "pause"; minutes: number };

/** Given times start here. */
export const fixtureStart = Date.UTC(2026, 0, 5, 9);

let toolUses = 0;

export const prompt = (text: string): TranscriptEntry => ({ kind: "prompt", text, images: 0 });
export const text = (said: string): TranscriptEntry => ({ kind: "text", text: said });
export const thinking = (thought: string): TranscriptEntry => ({ kind: "thinking", text: thought });
export const notice = (said: string): TranscriptEntry => ({ kind: "notice", text: said });
export const summary = (said: string): TranscriptEntry => ({ kind: "summary", text: said });
export const pause = (minutes: number): Happening => ({ kind: "pause", minutes });

interface Outcome {
  isError?: boolean;
  edits?: FileEdit[] | null;
  subagent?: string | null;
}

/** A tool use and its result; without `output` it has none yet. */
export function used(
  tool: string,
  input: Record<string, unknown>,
  output: string | null = "",
  { isError = false, edits = null, subagent = null }: Outcome = {},
  files: Extract<TranscriptEntry, { kind: "tool_use" }>["files"] = [],
): TranscriptEntry[] {
  const id = `toolu_${++toolUses}`;
  const use: TranscriptEntry = { kind: "tool_use", id, tool, input, files };
  if (output === null) return [use];
  const result: ToolResult = { kind: "tool_result", id, text: output, isError, edits, subagent };
  return [use, result];
}

export const ran = (command: string, output = "", outcome: Outcome = {}): TranscriptEntry[] =>
  used("Bash", { command }, output, outcome);

export const read = (path: string, content = "1→content"): TranscriptEntry[] =>
  used("Read", { file_path: path }, content, {}, [{ path, how: "read" }]);

export function edited(
  path: string,
  before: string,
  after: string,
  outcome: Outcome = {},
): TranscriptEntry[] {
  const removed = before.split("\n").map((line) => `-${line}`);
  const added = after.split("\n").map((line) => `+${line}`);
  const hunk = {
    oldStart: 1,
    oldLines: removed.length,
    newStart: 1,
    newLines: added.length,
    lines: [...removed, ...added],
  };
  const edits = outcome.isError ? null : [{ path, hunks: [hunk], content: null }];
  const input = { file_path: path, old_string: before, new_string: after };
  const said = outcome.isError
    ? "String to replace not found in file."
    : `The file ${path} has been updated.`;
  return used("Edit", input, said, { edits, ...outcome }, [{ path, how: "edit" }]);
}

export function wrote(path: string, content: string): TranscriptEntry[] {
  const edits = [{ path, hunks: [], content }];
  const input = { file_path: path, content };
  return used("Write", input, `File created at ${path}`, { edits }, [{ path, how: "write" }]);
}

export interface FixtureOptions {
  branch?: string | null;
  /** Time of the first line, milliseconds; each following one comes a second later. */
  at?: number;
}

/** The turns of a conversation: a line for each entry, a new turn with each prompt. */
export function conversation(...happenings: (Happening | FixtureOptions)[]): Turn[] {
  let options: FixtureOptions = {};
  const turns: Turn[] = [];
  let at = fixtureStart;
  let seq = 0;
  for (const happening of happenings) {
    if (!Array.isArray(happening) && !("kind" in happening)) {
      options = happening;
      at = options.at ?? at;
      continue;
    }
    if (!Array.isArray(happening) && happening.kind === "pause") {
      at += happening.minutes * 60_000;
      continue;
    }
    for (const entry of [happening].flat()) {
      const line: StoredLine = { uid: `line-${seq}`, seq, at, entries: [entry] };
      const last = turns.at(-1);
      if (last === undefined || entry.kind === "prompt") {
        const number = entry.kind === "prompt" ? (last?.number ?? 0) + 1 : 0;
        turns.push({ number, branch: options.branch ?? null, abandoned: false, lines: [line] });
      } else last.lines.push(line);
      seq++;
      at += 1000;
    }
  }
  return turns;
}
