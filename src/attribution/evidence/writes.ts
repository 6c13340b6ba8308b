import type { FileEdit, ToolAction } from "../../agents/agent.ts";
import { actionOf, type StoredLine } from "../../sessions/turn-content.ts";
import { asBare, type BareLine, plainLineOf } from "../lines/line-keys.ts";
import { commitsIn, mayWrite, writesIn } from "./shell.ts";

/** A stretch of a file as a tool call left it. */
interface WrittenHunk {
  /** Without its blank lines. */
  lines: (BareLine & { isNew: boolean })[];
  /** Lines that it took out, without blank ones. */
  removed: BareLine[];
}

/** The write of one tool call to one file. */
export interface Write {
  sessionUid: string;
  turn: number;
  toolUse: string;
  model: string | null;
  /** Milliseconds since the epoch; 0 if unknown. */
  at: number;
  /** As stored: relative to the project's root. */
  path: string;
  how: "edit" | "shell";
  hunks: WrittenHunk[];
}

/** While a command of an agent ran. */
export interface ShellRun {
  sessionUid: string;
  turn: number;
  toolUse: string;
  model: string | null;
  startedAt: number;
  endedAt: number;
  command: string;
  mayWrite: boolean;
  /** Abbreviated hashes of the commits that it made. */
  commits: string[];
}

/** While another agent worked for this one. */
export interface Delegation {
  sessionUid: string;
  turn: number;
  startedAt: number;
  endedAt: number;
}

/** A turn's changes to files. */
export interface Activity {
  writes: Write[];
  runs: ShellRun[];
  delegations: Delegation[];
}

interface Call {
  action: ToolAction;
  input: Record<string, unknown>;
  at: number | null;
  model: string | null;
}

/**
 * A turn's changes to files, from its archived lines. Failed calls, and calls without an answer yet, changed nothing.
 */
export function activityOf(
  turn: { sessionUid: string; number: number; lines: readonly StoredLine[] },
  relativize: (path: string) => string,
): Activity {
  const calls = new Map<string, Call>();
  const activity: Activity = { writes: [], runs: [], delegations: [] };
  let model: string | null = null;
  for (const line of turn.lines) {
    model = line.model ?? model;
    for (const entry of line.entries) {
      if (entry.kind === "tool_use") {
        calls.set(entry.id, {
          action: actionOf(entry),
          input: entry.input,
          at: line.at,
          model: line.model ?? model,
        });
      }
      if (entry.kind !== "tool_result") continue;
      const call = calls.get(entry.id);
      const by = {
        sessionUid: turn.sessionUid,
        turn: turn.number,
        toolUse: entry.id,
        model: call?.model ?? model,
      };
      const at = line.at ?? call?.at ?? 0;
      if (call?.action === "command") {
        const command = text(call.input.command) ?? "";
        const run = { ...by, startedAt: call.at ?? at, endedAt: at, command };
        activity.runs.push({ ...run, mayWrite: mayWrite(command), commits: commitsIn(entry.text) });
        // Files that a command wrote before it failed are still there.
        for (const { path, lines } of writesIn(command)) {
          const hunks = [{ lines: bareLines(lines, true), removed: [] }];
          activity.writes.push({ ...by, at, path: relativize(path), how: "shell", hunks });
        }
        continue;
      }
      if (call?.action === "delegate") {
        const { sessionUid, number } = turn;
        activity.delegations.push({ sessionUid, turn: number, startedAt: call.at ?? at, endedAt: at });
      }
      if (entry.isError) continue;
      const edits = entry.edits ?? (call ? editsOfInput(call.input) : []);
      for (const { path, hunks, content } of edits) {
        const plain = plainLineOf(path);
        const made = hunks.map(({ lines }) => hunkOf(lines, plain));
        if (made.length === 0 && content !== null)
          made.push({ lines: bareLines(content.split("\n").map(plain), true), removed: [] });
        if (made.length > 0)
          activity.writes.push({ ...by, at, path: relativize(path), how: "edit", hunks: made });
      }
    }
  }
  return activity;
}

function hunkOf(lines: readonly string[], plain: (line: string) => string): WrittenHunk {
  const hunk: WrittenHunk = { lines: [], removed: [] };
  for (const line of lines) {
    const bare = asBare(plain(line.slice(1)));
    if (bare.key === 0) continue;
    if (line.startsWith("-")) hunk.removed.push(bare);
    else if (!line.startsWith("\\")) hunk.lines.push({ ...bare, isNew: line.startsWith("+") });
  }
  return hunk;
}

function bareLines(lines: readonly string[], isNew: boolean): WrittenHunk["lines"] {
  return lines.flatMap((line) => {
    const bare = asBare(line);
    return bare.key === 0 ? [] : [{ ...bare, isNew }];
  });
}

/** The edits that a call requested, used if its result does not report any. */
export function editsOfInput(input: Record<string, unknown>): FileEdit[] {
  const path = text(input.file_path) ?? text(input.notebook_path) ?? text(input.path);
  if (path === null) return [];
  const content = text(input.content) ?? text(input.file_text);
  if (content !== null) return [{ path, content, hunks: [] }];
  const changes = Array.isArray(input.edits) ? (input.edits as unknown[]) : [input];
  const hunks = changes.flatMap((change) => {
    if (typeof change !== "object" || change === null) return [];
    const given = change as Record<string, unknown>;
    const after = text(given.new_string) ?? text(given.new_source) ?? text(given.new_str);
    if (after === null) return [];
    const before = text(given.old_string) ?? text(given.old_str) ?? "";
    return [replacement(before.split("\n"), after.split("\n"))];
  });
  return hunks.length > 0 ? [{ path, content: null, hunks }] : [];
}

/** Lines at both ends that stay are context. */
function replacement(before: string[], after: string[]): FileEdit["hunks"][number] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before.at(-1 - tail) === after.at(-1 - tail)
  )
    tail++;
  const lines = [
    ...after.slice(0, head).map((line) => ` ${line}`),
    ...before.slice(head, before.length - tail).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
    ...after.slice(after.length - tail).map((line) => ` ${line}`),
  ];
  return { oldStart: 0, oldLines: before.length, newStart: 0, newLines: after.length, lines };
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
