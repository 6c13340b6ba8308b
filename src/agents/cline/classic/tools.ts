import type { FileEdit, FileTouch, ToolResult, TranscriptEntry } from "../../agent.ts";
import { parsePatchEdits } from "../../codex/patch.ts";
import { boundInput } from "../../reading/bounds.ts";
import { type EditHunk, makeHunksEdit, makeReplacementHunk, makeWholeFileEdit } from "../../reading/edits.ts";
import { isOwnCommand, withoutOwnContext } from "../../reading/own-output.ts";
import { makeToolResult, makeToolUse, makeTouches, toTouches } from "../../reading/tool-calls.ts";
import { makeTextEntries } from "../../reading/transcript-lines.ts";

/** A call that waits for its result. */
export interface TaskCall {
  id: string;
  tool: string;
  input: Record<string, unknown>;
}

/** Tools by which the model speaks, and the parameter with its text. */
const speaking: Readonly<Record<string, string>> = {
  attempt_completion: "result",
  plan_mode_respond: "response",
  act_mode_respond: "response",
  ask_followup_question: "question",
};

export function callEntry({ id, tool, input: given }: TaskCall, cwd: string | null): TranscriptEntry[] {
  if (Object.hasOwn(speaking, tool)) return makeTextEntries("text", String(given[speaking[tool]!] ?? ""));
  const input = boundInput(given);
  const files = listTouchedFiles(tool, input, cwd);
  return [makeToolUse(id, tool, { input, files, ...(tool === "use_subagents" && { action: "delegate" }) })];
}

const touchesByTool: Readonly<Record<string, FileTouch["how"]>> = {
  read_file: "read",
  write_to_file: "write",
  replace_in_file: "edit",
};

function listTouchedFiles(tool: string, input: TaskCall["input"], cwd: string | null): FileTouch[] {
  if (tool === "apply_patch") return toTouches(parsePatchEdits(input.input, cwd));
  const isFile = Object.hasOwn(touchesByTool, tool);
  return isFile ? makeTouches(input.absolutePath ?? input.path, touchesByTool[tool]!, cwd) : [];
}

const failure = /^(?:The tool execution failed|The user denied|Command failed|Command execution blocked)/;

/** @param said what the client told the model, without its headline; null for calls by which the model speaks */
export function makeResultEntry(
  { id, tool, input }: TaskCall,
  said: string,
  cwd: string | null,
): ToolResult | null {
  if (Object.hasOwn(speaking, tool)) return null;
  const isError = failure.test(said);
  const isOwn =
    (tool === "use_mcp_tool" && input.server_name === "pommel") ||
    (typeof input.command === "string" && isOwnCommand(input.command));
  // After an edit the whole file follows.
  const text = isOwn ? "" : said.replace(/\n+Here is the full, updated content of the file[\s\S]*/, "");
  return makeToolResult(id, { text: withoutOwnContext(text), isError, edits: findEdits(tool, input, cwd) });
}

/** What a call wrote; null for calls that write nothing. */
function findEdits(tool: string, input: TaskCall["input"], cwd: string | null): FileEdit[] | null {
  if (tool === "apply_patch") return parsePatchEdits(input.input, cwd);
  const [file] = listTouchedFiles(tool, input, cwd);
  const { content, diff } = input;
  if (file?.how === "edit")
    return typeof diff === "string" ? [makeHunksEdit(file.path, parseSearchBlocks(diff))] : null;
  return file?.how === "write" && typeof content === "string"
    ? [makeWholeFileEdit(file.path, content)]
    : null;
}

/** Blocks of lines to search and to put in their place; older clients mark them with angle brackets. */
function parseSearchBlocks(diff: string): EditHunk[] {
  const hunks: EditHunk[] = [];
  let block: { old: string[]; now: string[] | null } | null = null;
  for (const line of diff.split("\n")) {
    if (/^(?:-{3,}|<{3,}) SEARCH>?\s*$/.test(line)) block = { old: [], now: null };
    else if (block === null) continue;
    else if (/^(?:\+{3,}|>{3,}) REPLACE>?\s*$/.test(line)) {
      if (block.now !== null) hunks.push(makeReplacementHunk(joinLines(block.old), joinLines(block.now)));
      block = null;
    } else if (block.now === null && /^={3,}\s*$/.test(line)) block.now = [];
    else (block.now ?? block.old).push(line);
  }
  return hunks;
}

const joinLines = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

/** A call that is written as tags. */
interface WrittenCall {
  tool: string;
  input: Record<string, string>;
}

/** The tools that a model may call with tags in its text, where the client gave it none. After Cline's `parse-assistant-message.ts`. */
const tagged = [
  "ask_followup_question",
  "attempt_completion",
  "execute_command",
  "replace_in_file",
  "read_file",
  "write_to_file",
  "search_files",
  "list_files",
  "list_code_definition_names",
  "browser_action",
  "use_mcp_tool",
  "access_mcp_resource",
  "load_mcp_documentation",
  "new_task",
  "plan_mode_respond",
  "act_mode_respond",
  "focus_chain",
  "web_fetch",
  "web_search",
  "condense",
  "summarize_task",
  "report_bug",
  "new_rule",
  "apply_patch",
  "generate_explanation",
  "use_skill",
  "use_subagents",
];
/** Parameters that may hold tags themselves. */
const longParameters: Readonly<Record<string, string>> = {
  write_to_file: "content",
  new_rule: "content",
  replace_in_file: "diff",
  apply_patch: "input",
};

/** The texts and calls of a message, in order. */
export function splitMessage(message: string): (string | WrittenCall)[] {
  const opening = new RegExp(`<(${tagged.join("|")})>`, "g");
  const parts: (string | WrittenCall)[] = [];
  let at = 0;
  for (let found = opening.exec(message); found !== null; found = opening.exec(message)) {
    const tool = found[1]!;
    const start = opening.lastIndex;
    const inner = longParameters[tool] === undefined ? -1 : message.lastIndexOf(`</${longParameters[tool]}>`);
    const end = message.indexOf(`</${tool}>`, Math.max(start, inner));
    parts.push(message.slice(at, found.index));
    // An answer that was cut off ends within its call.
    const stop = end === -1 ? message.length : end;
    parts.push({ tool, input: parseParameters(message.slice(start, stop), longParameters[tool]) });
    at = end === -1 ? stop : stop + tool.length + 3;
    opening.lastIndex = at;
  }
  parts.push(message.slice(at));
  return parts.filter((part) => typeof part !== "string" || part.trim() !== "");
}

function parseParameters(body: string, long: string | undefined): Record<string, string> {
  const input: Record<string, string> = {};
  const opening = /<(\w{1,40})>/g;
  for (let found = opening.exec(body); found !== null; found = opening.exec(body)) {
    const name = found[1]!;
    const closing = `</${name}>`;
    const start = opening.lastIndex;
    const end = name === long ? body.lastIndexOf(closing) : body.indexOf(closing, start);
    if (end < start) continue;
    input[name] = body.slice(start, end).replace(/^\n/, "");
    if (name !== long) input[name] = input[name].trim();
    opening.lastIndex = end + closing.length;
  }
  return input;
}
