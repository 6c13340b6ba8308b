import { posix } from "node:path";
import type { FileEdit, FileTouch, ToolResult } from "../agent.ts";
import {
  type EditHunk,
  makeHunk,
  makeHunksEdit,
  makeReplacementHunk,
  makeWholeFileEdit,
  parseUnifiedDiff,
} from "../reading/edits.ts";
import { emptyToNull } from "../reading/json.ts";
import { isOwnCommand } from "../reading/own-output.ts";
import { makeToolResult, makeTouches } from "../reading/tool-calls.ts";
import { joinPartTexts, withoutHookContext } from "./message-text.ts";
import { asDisplay, asParts, asResponse, type Display, type GeminiCall } from "./record-schema.ts";

type GeminiArgs = Record<string, unknown>;

/** Which fields of a tool's arguments name files, and what the tool does to them. */
const touchesByTool: Readonly<Record<string, { fields: readonly string[]; how: FileTouch["how"] }>> = {
  read_file: { fields: ["file_path", "absolute_path"], how: "read" },
  read_many_files: { fields: ["paths", "include"], how: "read" },
  grep_search: { fields: ["dir_path", "path"], how: "read" },
  search_file_content: { fields: ["dir_path", "path"], how: "read" },
  replace: { fields: ["file_path"], how: "edit" },
  edit: { fields: ["file_path"], how: "edit" },
  write_file: { fields: ["file_path"], how: "write" },
};
/** Their paths are usually directories or patterns. */
const mayNameOther = new Set(["read_many_files", "grep_search", "search_file_content"]);

/** The files that a call touches, absolute if the working directory is known. */
export function listTouchedFiles(
  { name, resultDisplay }: GeminiCall,
  args: GeminiArgs,
  cwd: string | null,
): FileTouch[] {
  const touch = Object.hasOwn(touchesByTool, name ?? "") ? touchesByTool[name ?? ""]! : null;
  if (touch) {
    const named = touch.fields.flatMap((field) => args[field]).filter((path) => typeof path === "string");
    return named
      .filter((path) => !mayNameOther.has(name ?? "") || (posix.extname(path) !== "" && !/[*?{]/.test(path)))
      .flatMap((path) => makeTouches(path, touch.how, cwd))
      .slice(0, 50);
  }
  // An unknown tool whose display shows a changed file.
  return makeTouches(asDisplay(resultDisplay)?.filePath, "edit", null);
}

/** Whether a call ran Pommel, whose result is not stored. Older clients do not prefix MCP tools. */
export function isOwnCall({ name, displayName }: GeminiCall, args: GeminiArgs): boolean {
  if (/^mcp_+pommel_|^pommel__/.test(name ?? "") || displayName?.endsWith("(pommel MCP Server)")) return true;
  // Without a server, all are listed.
  if (name === "list_mcp_resources") return (args.serverName ?? "pommel") === "pommel";
  if (name === "read_mcp_resource") return /^(?:pommel:)?pommel:\/\//.test(String(args.uri));
  return typeof args.command === "string" && isOwnCommand(args.command);
}

/** The states in which a call has not ended. */
const open = new Set(["validating", "scheduled", "executing", "awaiting_approval"]);

export function hasEnded({ status, result }: GeminiCall): boolean {
  return !open.has(status ?? "") && (emptyToNull(status) !== null || Array.isArray(result));
}

/** A call's result. `own`: it is Pommel's, and its text is not stored. */
export function parseToolResult(
  call: GeminiCall,
  args: GeminiArgs,
  { own, cwd }: { own: boolean; cwd: string | null },
): ToolResult {
  const answered = extractResponse(call.result);
  const written =
    answered.text === "" && typeof call.resultDisplay === "string" ? call.resultDisplay : answered.text;
  const isShell = typeof args.command === "string";
  const text = stripClientText(written, isShell);
  // The client reports success for every command that ran, whatever its exit code.
  const failed = isShell && hasFailedCommand(text);
  const isError =
    failed || answered.isError || (call.status !== "success" && emptyToNull(call.status) !== null);
  const edits = isError ? null : findEdits(call, args, cwd);
  return makeToolResult(call.id ?? "", {
    text,
    isOwn: own,
    isError,
    edits,
    subagent: emptyToNull(call.agentId),
  });
}

/** The result's text, from the parts sent to the agent. */
export function extractResponse(result: unknown): { text: string; isError: boolean } {
  const parts = asParts(result);
  const responses = parts.flatMap((part) => asResponse(part.functionResponse?.response) ?? []);
  const of = (value: unknown) =>
    typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
  const texts = responses.map(({ output, error }) => of(output ?? error));
  return {
    text: [...texts, joinPartTexts(parts)].filter((text) => text !== "").join("\n"),
    isError: responses.some(({ output, error }) => output === undefined && of(error) !== ""),
  };
}

/** A tool's own output, without the client's additions. */
function stripClientText(written: string, isShell: boolean): string {
  const text = withoutHookContext(written).replace(
    /^\s*<untrusted_context>\n?|\n?<\/untrusted_context>\s*$/g,
    "",
  );
  if (!isShell) return text.trim();
  return text
    .replace(/^Output: (?:\(empty\)$)?/m, "")
    .replace(
      /^(?:Command|Directory|Background PIDs|Process Group PGID): .*\n?|^(?:Error|Signal): \(none\)\n?/gm,
      "",
    )
    .trim();
}

function hasFailedCommand(text: string): boolean {
  const last = [...text.matchAll(/^Exit Code: (-?\d+)$/gm)].at(-1);
  return (last !== undefined && last[1] !== "0") || /^Signal: (?!0$)\S/m.test(text);
}

/** A successful call's edit of a file; null for other tools. */
function findEdits(call: GeminiCall, args: GeminiArgs, cwd: string | null): FileEdit[] | null {
  const touch = listTouchedFiles(call, args, cwd).find(({ how }) => how !== "read");
  if (!touch) return null;
  const display = asDisplay(call.resultDisplay);
  return [display?.fileDiff ? makeShownEdit(display, touch, args) : makeRequestedEdit(touch, args)];
}

/** The displayed edit. */
function makeShownEdit(display: Display, touch: FileTouch, args: GeminiArgs): FileEdit {
  const path = emptyToNull(display.filePath) ?? touch.path;
  const hunks = parseUnifiedDiff(display.fileDiff ?? "");
  const { user_added_lines: added, user_removed_lines: removed } = display.diffStat ?? {};
  if (args.modified_by_user === true || (added ?? 0) > 0 || (removed ?? 0) > 0) {
    const proposal = args.ai_proposed_content;
    // Without the proposal, the lines' authors are unknown.
    return makeHunksEdit(path, keepProposedLines(hunks, typeof proposal === "string" ? proposal : ""));
  }
  if (touch.how !== "write" || typeof display.newContent !== "string") return makeHunksEdit(path, hunks);
  return { ...makeWholeFileEdit(path, display.newContent), hunks: display.isNewFile ? [] : hunks };
}

/** A repeated history has no diffs: use the arguments, without positions. */
function makeRequestedEdit({ path, how }: FileTouch, args: GeminiArgs): FileEdit {
  if (how === "write" && typeof args.content === "string") return makeWholeFileEdit(path, args.content);
  const [before, after] = [args.old_string, args.new_string];
  const isKnown = typeof after === "string" && args.modified_by_user !== true;
  return makeHunksEdit(
    path,
    isKnown ? [makeReplacementHunk(typeof before === "string" ? before : "", after)] : [],
  );
}

/** Hunks of an edit that the human modified before accepting: only lines that the agent proposed stay added. */
function keepProposedLines(hunks: readonly EditHunk[], proposal: string): EditHunk[] {
  const proposed = new Set(proposal.split("\n").map((line) => line.trim()));
  return hunks.map(({ lines, oldStart, newStart }) => {
    const kept = lines.map((line) =>
      line.startsWith("+") && !proposed.has(line.slice(1).trim()) ? ` ${line.slice(1)}` : line,
    );
    return makeHunk(kept, oldStart, newStart);
  });
}
