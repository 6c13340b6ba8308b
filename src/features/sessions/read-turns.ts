import type { FileEdit, ToolUse, TranscriptEntry } from "../../agents/agent.ts";
import { parseEditsOfInput } from "../../attribution/evidence/input-edits.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { withoutSpeakers } from "../../base/text/quotation.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { sayUse } from "../../sessions/chunks/units/tool-uses.ts";
import { createRelativizer } from "../../sessions/relative-paths.ts";
import { classifyToolUse, type StoredLine } from "../../sessions/turn-content.ts";
import { detectTurnState } from "../../sessions/turn-state.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { unpackContent } from "../../store/memory/sessions/content.ts";
import { findSession, listSessions } from "../../store/memory/sessions/sessions.ts";
import { findTurnContent, listTurns } from "../../store/memory/sessions/turns.ts";
import type { ToolCall, TurnEntry, TurnInFull, TurnsRequest, TurnsResponse } from "./operation.ts";
import { collectResults, computeDurationMs, type TimedResult } from "./session-log.ts";

const defaultTurns = 20;
/** An answer ends with the turn that exceeds this. Characters. */
const maxAnswerChars = 250_000;
/** What is shown of each, unless all is wanted. Characters, lines. */
const maxSizes = { text: 20_000, result: 6_000, edit: 300 } as const;

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
  return memory.readInSnapshot(() => {
    const session = findSession(memory, request.session);
    const [root = "", ...worktrees] = roots;
    const relativize = createRelativizer({ root, worktrees, cwd: session.cwd });
    const children = listSessions(memory, { children: session.id });
    // Where the call is not recorded beside the subagent, its result names it.
    const findSubagent: SubagentOf = (use, agent) =>
      children.find(
        ({ uid, parentToolUse }) =>
          parentToolUse === use || (agent !== null && uid === `${session.uid}/${agent}`),
      )?.uid ?? null;
    const turns: TurnInFull[] = [];
    let size = 0;
    for (const { number, startedAt, endedAt, branch, abandoned } of listTurns(memory, session.id, {
      first: from,
      // One more says where to go on.
      limit: limit + 1,
    })) {
      if (turns.length === limit || size > maxAnswerChars) return { turns, next: number };
      const content = findTurnContent(memory, session.id, number);
      const lines = content === null ? [] : unpackContent<StoredLine>(content);
      const entries = toTurnEntries(lines, relativize, findSubagent).map((entry) =>
        whole ? entry : shortenEntry(entry),
      );
      size += entries.reduce((sum, entry) => sum + measureEntry(entry), 0);
      turns.push({
        number,
        branch,
        abandoned,
        state: detectTurnState(lines),
        entries,
        started_at: formatIsoTime(startedAt),
        ended_at: formatIsoTime(endedAt),
      });
    }
    return { turns, next: null };
  });
}

function toTurnEntries(
  lines: readonly StoredLine[],
  relativize: Relativize,
  subagentOf: SubagentOf,
): TurnEntry[] {
  const results = collectResults(lines);
  return lines.flatMap(({ at, entries }) =>
    entries.flatMap((entry) => {
      const said = toTurnEntry(entry);
      if (said === null) return [];
      const answered = entry.kind === "tool_use" ? results.get(entry.id) : undefined;
      const tool =
        entry.kind === "tool_use"
          ? toToolCall(
              entry,
              at,
              answered,
              relativize,
              subagentOf(entry.id, answered?.result.subagent ?? null),
            )
          : null;
      return { ...said, timestamp: formatIsoTime(at), tool, omitted: 0 };
    }),
  );
}

/** Its kind and text; null for what is shown elsewhere, or says nothing. */
function toTurnEntry(entry: TranscriptEntry): Pick<TurnEntry, "kind" | "text" | "images"> | null {
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

function toToolCall(
  use: ToolUse,
  at: number | null,
  answered: TimedResult | undefined,
  relativize: Relativize,
  subagent: string | null,
): ToolCall {
  const result = answered?.result ?? null;
  const says = sayUse(use, result?.edits ?? null, relativize);
  const edits = result?.edits ?? (says.edits ? parseEditsOfInput(use.input, use.tool) : []);
  return {
    id: use.id,
    name: use.tool,
    action: classifyToolUse(use),
    took_ms: computeDurationMs(at, answered),
    headline: says.headline,
    command: says.command,
    result: result === null ? null : result.text.trim(),
    is_error: result?.isError ?? false,
    edits: edits.map((edit) => ({ ...toDiffLines(edit), file: relativize(edit.path) })),
    subagent,
  };
}

/** As in a unified diff; a file that is written whole has only added lines. */
function toDiffLines({ hunks, content }: FileEdit): { is_whole: boolean; lines: string[] } {
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

function shortenEntry(entry: TurnEntry): TurnEntry {
  const text = shortenText(entry.text, maxSizes.text);
  let omitted = entry.text.length - text.length;
  if (entry.tool === null) return { ...entry, text, omitted };
  const result = entry.tool.result === null ? null : shortenText(entry.tool.result, maxSizes.result);
  omitted += (entry.tool.result?.length ?? 0) - (result?.length ?? 0);
  const edits = entry.tool.edits.map((edit) => {
    const lines = edit.lines.slice(0, maxSizes.edit);
    omitted += edit.lines.length - lines.length;
    return { ...edit, lines };
  });
  return { ...entry, text, tool: { ...entry.tool, result, edits }, omitted: Math.max(0, omitted) };
}

function measureEntry({ text, tool }: TurnEntry): number {
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

function renderEntry(entry: TranscriptEntry): string {
  switch (entry.kind) {
    case "prompt":
      return formatLabelled("USER", entry.text.trim() || (entry.images > 0 ? "(an image)" : ""));
    case "text":
      return formatLabelled("ASSISTANT", entry.text);
    case "thinking":
      return formatLabelled("THINKING", entry.text);
    case "notice":
      return formatLabelled("NOTICE", entry.text);
    case "summary":
      return formatLabelled("SUMMARY", entry.text);
    case "compaction":
      return formatLabelled("COMPACTION", entry.trigger ?? "the context was compacted");
    case "tool_use":
      return `[TOOL_USE] ${entry.tool}${withoutSpeakers(formatInput(entry.input))}`;
    case "tool_result":
      return `[TOOL_RESULT] ${entry.isError ? "error: " : ""}${withoutSpeakers(entry.text.trim())}`.trimEnd();
    case "title":
      return "";
  }
}

function formatLabelled(label: string, text: string): string {
  return text.trim() === "" ? "" : `[${label}] ${withoutSpeakers(text.trim())}`;
}

/** A line for each thing that a tool was given; longer texts below their name, indented. */
function formatInput(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return text.includes("\n") ? `\n  ${name}:\n${text.replace(/^/gm, "    ")}` : `\n  ${name}: ${text}`;
    })
    .join("");
}
