import type { Entry, FileEdit, ToolUse } from "../../agents/agent.ts";
import { editsOfInput } from "../../attribution/evidence/input-edits.ts";
import { isoTime } from "../../base/text/iso-time.ts";
import { withoutSpeakers } from "../../base/text/quotation.ts";
import { beginningOf } from "../../base/text/text-size.ts";
import { sayUse } from "../../sessions/chunks/units/tool-uses.ts";
import { relativizer } from "../../sessions/relative-paths.ts";
import { actionOf, type StoredLine } from "../../sessions/turn-content.ts";
import { turnStateOf } from "../../sessions/turn-state.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { unpackContent } from "../../store/memory/sessions/content.ts";
import { findSession, listSessions } from "../../store/memory/sessions/sessions.ts";
import { contentOf, turnsOf } from "../../store/memory/sessions/turns.ts";
import type { ToolCall, TurnEntry, TurnInFull, TurnsRequest, TurnsResponse } from "./operation.ts";
import { resultsIn, type TimedResult, tookMs } from "./session-log.ts";

const defaultTurns = 20;
/** An answer ends with the turn that exceeds this. Characters. */
const enough = 250_000;
/** What is shown of each, unless all is wanted. Characters, lines. */
const longest = { text: 20_000, result: 6_000, edit: 300 } as const;

type Relativize = (path: string) => string;
/** The session of the subagent that a call started. */
type SubagentOf = (use: string, agent: string | null) => string | null;

/**
 * Turns of a session as they are archived, each call of a tool with its result.
 * @param roots of the project and its worktrees
 * @throws PommelError `not_found` for an unknown session, `usage` for an ambiguous id
 */
export function readTurns(memory: Memory, request: TurnsRequest, roots: readonly string[]): TurnsResponse {
  const { from = 0, limit = defaultTurns, whole = false } = request;
  return memory.inSnapshot(() => {
    const session = findSession(memory, request.session);
    const [root = "", ...worktrees] = roots;
    const relativize = relativizer({ root, worktrees, cwd: session.cwd });
    const children = listSessions(memory, { children: session.id });
    // Where the call is not recorded beside the subagent, its result names it.
    const subagentOf: SubagentOf = (use, agent) =>
      children.find(
        ({ uid, parentToolUse }) =>
          parentToolUse === use || (agent !== null && uid === `${session.uid}/${agent}`),
      )?.uid ?? null;
    const turns: TurnInFull[] = [];
    let size = 0;
    for (const { number, startedAt, endedAt, branch, abandoned } of turnsOf(memory, session.id, {
      first: from,
      // One more says where to go on.
      limit: limit + 1,
    })) {
      if (turns.length === limit || size > enough) return { turns, next: number };
      const content = contentOf(memory, session.id, number);
      const lines = content === null ? [] : unpackContent<StoredLine>(content);
      const entries = entriesOf(lines, relativize, subagentOf).map((entry) =>
        whole ? entry : shortened(entry),
      );
      size += entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
      turns.push({
        ...{ number, branch, abandoned, state: turnStateOf(lines), entries },
        started_at: isoTime(startedAt),
        ended_at: isoTime(endedAt),
      });
    }
    return { turns, next: null };
  });
}

function entriesOf(
  lines: readonly StoredLine[],
  relativize: Relativize,
  subagentOf: SubagentOf,
): TurnEntry[] {
  const results = resultsIn(lines);
  return lines.flatMap(({ at, entries }) =>
    entries.flatMap((entry) => {
      const said = entryOf(entry);
      if (said === null) return [];
      const answered = entry.kind === "tool_use" ? results.get(entry.id) : undefined;
      const tool =
        entry.kind === "tool_use"
          ? callOf(entry, at, answered, relativize, subagentOf(entry.id, answered?.result.subagent ?? null))
          : null;
      return { ...said, timestamp: isoTime(at), tool, omitted: 0 };
    }),
  );
}

/** Its kind and text; null for what is shown elsewhere, or says nothing. */
function entryOf(entry: Entry): Pick<TurnEntry, "kind" | "text" | "images"> | null {
  switch (entry.kind) {
    case "title":
    case "tool_result":
      return null;
    case "tool_use":
      return { kind: "tool", text: "", images: 0 };
    case "compaction":
      return { kind: "compaction", text: entry.trigger ?? "", images: 0 };
    case "prompt":
      return { kind: "prompt", text: entry.text.trim(), images: entry.images };
    default:
      return entry.text.trim() === "" ? null : { kind: entry.kind, text: entry.text.trim(), images: 0 };
  }
}

function callOf(
  use: ToolUse,
  at: number | null,
  answered: TimedResult | undefined,
  relativize: Relativize,
  subagent: string | null,
): ToolCall {
  const result = answered?.result ?? null;
  const says = sayUse(use, result?.edits ?? null, relativize);
  const edits = result?.edits ?? (says.edits ? editsOfInput(use.input, use.tool) : []);
  return {
    name: use.tool,
    action: actionOf(use),
    took_ms: tookMs(at, answered),
    headline: says.headline,
    command: says.command,
    result: result === null ? null : result.text.trim(),
    is_error: result?.isError ?? false,
    edits: edits.map((edit) => ({ ...linesOf(edit), file: relativize(edit.path) })),
    subagent,
  };
}

/** As in a unified diff; a file that is written whole has only added lines. */
function linesOf({ hunks, content }: FileEdit): { is_whole: boolean; lines: string[] } {
  if (hunks.length === 0 && content !== null) {
    const lines = content.replace(/\n$/, "").split("\n");
    return { is_whole: true, lines: lines.map((line) => `+${line}`) };
  }
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: changed }, i) => {
    // What only the call's input says has no place in the file.
    if (oldStart === 0 && newStart === 0) return i === 0 ? changed : ["@@", ...changed];
    return [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...changed];
  });
  return { is_whole: false, lines };
}

function shortened(entry: TurnEntry): TurnEntry {
  const text = beginningOf(entry.text, longest.text);
  let omitted = entry.text.length - text.length;
  if (entry.tool === null) return { ...entry, text, omitted };
  const result = entry.tool.result === null ? null : beginningOf(entry.tool.result, longest.result);
  omitted += (entry.tool.result?.length ?? 0) - (result?.length ?? 0);
  const edits = entry.tool.edits.map((edit) => {
    const lines = edit.lines.slice(0, longest.edit);
    omitted += edit.lines.length - lines.length;
    return { ...edit, lines };
  });
  return { ...entry, text, tool: { ...entry.tool, result, edits }, omitted: Math.max(0, omitted) };
}

function sizeOf({ text, tool }: TurnEntry): number {
  const changed = tool?.edits.flatMap(({ lines }) => lines) ?? [];
  return text.length + (tool?.result?.length ?? 0) + changed.reduce((sum, line) => sum + line.length, 0);
}

/** The whole archive of a turn, for people and agents to read. */
export function renderTurn(lines: readonly StoredLine[]): string {
  return lines
    .flatMap(({ entries }) => entries.map(renderEntry))
    .filter((statement) => statement !== "")
    .join("\n\n");
}

function renderEntry(entry: Entry): string {
  switch (entry.kind) {
    case "prompt":
      return labelled("USER", entry.text.trim() || (entry.images > 0 ? "(an image)" : ""));
    case "text":
      return labelled("ASSISTANT", entry.text);
    case "thinking":
      return labelled("THINKING", entry.text);
    case "notice":
      return labelled("NOTICE", entry.text);
    case "summary":
      return labelled("SUMMARY", entry.text);
    case "compaction":
      return labelled("COMPACTION", entry.trigger ?? "the context was compacted");
    case "tool_use":
      return `[TOOL_USE] ${entry.tool}${withoutSpeakers(inputOf(entry.input))}`;
    case "tool_result":
      return `[TOOL_RESULT] ${entry.isError ? "error: " : ""}${withoutSpeakers(entry.text.trim())}`.trimEnd();
    case "title":
      return "";
  }
}

function labelled(label: string, text: string): string {
  return text.trim() === "" ? "" : `[${label}] ${withoutSpeakers(text.trim())}`;
}

/** A line for each thing that a tool was given; longer texts below their name, indented. */
function inputOf(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return text.includes("\n") ? `\n  ${name}:\n${text.replace(/^/gm, "    ")}` : `\n  ${name}: ${text}`;
    })
    .join("");
}
