import * as z from "zod/mini";
import type { FileEdit, FileTouch, ToolResult, ToolUse } from "../agent.ts";
import { parsePatchEdits } from "../codex/patch.ts";
import { boundInput } from "../reading/bounds.ts";
import { type ContentBlock, joinBlockTexts } from "../reading/content-blocks.ts";
import {
  type EditHunk,
  makeHunk,
  makeHunksEdit,
  makeReplacementHunk,
  makeWholeFileEdit,
  signLines,
} from "../reading/edits.ts";
import {
  anything,
  asObject,
  decodeJsonText,
  emptyToNull,
  flag,
  makeLenientParser,
  type Parsed,
  text,
} from "../reading/json.ts";
import { isOwnCommand, withoutOwnContext } from "../reading/own-output.ts";
import {
  makeToolResult,
  makeToolUse,
  makeTouches,
  toAbsolutePath,
  toTouches,
} from "../reading/tool-calls.ts";

/** A call that waits for its result. */
export interface PendingCall {
  tool: string;
  input: Record<string, unknown>;
}

/** A call, as one for each of its commands: the client runs several at once. */
export function callEntries({ id, name, input: given }: ContentBlock, cwd: string | null): ToolUse[] {
  const tool = emptyToNull(name);
  if (emptyToNull(id) === null || tool === null) return [];
  const commands = tool === "run_commands" ? listCommands(given) : [];
  const inputs = commands.length > 0 ? commands.map((command) => ({ command })) : [given];
  return inputs.map((each, at) => {
    const input = boundInput(each);
    const files = listTouchedFiles(tool, input, cwd);
    return makeToolUse(makePartId(id!, at), tool, {
      input,
      files,
      ...(delegates.has(tool) && { action: "delegate" }),
    });
  });
}

const makePartId = (id: string, at: number) => (at === 0 ? id : `${id}/${at}`);

/** Models write the list of commands in many ways, which the client takes. */
function listCommands(input: unknown): string[] {
  if (typeof input === "string") return [input];
  if (Array.isArray(input)) return input.flatMap(listCommands);
  const { commands, command, cmd, args } = asObject(input);
  if (commands !== undefined) return listCommands(commands);
  const program = command ?? cmd;
  return typeof program === "string" ? [[program, ...(Array.isArray(args) ? args : [])].join(" ")] : [];
}

const delegates = new Set(["spawn_agent", "team_run_task"]);

function listTouchedFiles(tool: string, input: PendingCall["input"], cwd: string | null): FileTouch[] {
  if (tool === "editor") {
    const isNew = typeof input.old_text !== "string" && typeof input.insert_line !== "number";
    return makeTouches(input.path, isNew ? "write" : "edit", cwd);
  }
  if (tool === "apply_patch") return toTouches(parsePatchEdits(input.input, cwd));
  if (tool !== "read_files") return [];
  const paths = [input.files ?? input.paths ?? input.file_paths ?? input].flat().slice(0, 500);
  return paths.flatMap((one) => {
    const { path, file_path, filePath } = asObject(one);
    return makeTouches(typeof one === "string" ? one : (path ?? file_path ?? filePath), "read", cwd);
  });
}

/** The results of a call, one for each of its commands. */
export function parseToolResults(
  block: ContentBlock,
  call: PendingCall | undefined,
  cwd: string | null,
): ToolResult[] {
  const id = emptyToNull(block.tool_use_id);
  if (id === null) return [];
  const tool = emptyToNull(block.name) ?? call?.tool ?? "";
  const answers = parseAnswers(block.content);
  const isOne = tool !== "run_commands" || answers.length === 0;
  const groups = isOne ? [answers] : answers.map((answer) => [answer]);
  return groups.map((group, at) => {
    const isError = block.is_error === true || group.some(({ success }) => success === false);
    const isOwn = /^pommel__/.test(tool) || (tool === "run_commands" && isOwnCommand(group[0]?.query ?? ""));
    const text = answers.length > 0 ? group.map(answerText).join("\n") : joinBlockTexts(block.content);
    const edits = call ? findEdits(call, text, cwd) : null;
    return makeToolResult(makePartId(id, at), { text: withoutOwnContext(text), isError, isOwn, edits });
  });
}

/** The answer of a tool to one of the things that it was asked for. */
const asAnswer = makeLenientParser(
  z.object({ query: text, result: anything, error: text, success: flag, content: anything }),
);
type ClineToolAnswer = Parsed<typeof asAnswer>;

/** What tools answer: objects, or one object as JSON; none for a plain text. */
function parseAnswers(content: unknown): ClineToolAnswer[] {
  const values = typeof content === "string" ? [decodeJsonText(content)].flat() : content;
  if (!Array.isArray(values)) return [];
  return values.slice(0, 500).flatMap((value) => {
    const answer = asAnswer(value);
    const isOne =
      answer && ("success" in asObject(value) || answer.error !== null || Array.isArray(answer.content));
    return isOne ? answer : [];
  });
}

function answerText({ result, error, content }: ClineToolAnswer): string {
  const text = joinBlockTexts(result ?? content);
  return text === "" ? (error ?? "") : text;
}

/** What a call wrote; null for calls that write nothing. */
function findEdits({ tool, input }: PendingCall, said: string, cwd: string | null): FileEdit[] | null {
  if (tool === "apply_patch") return parsePatchEdits(input.input, cwd);
  const { path: written, old_text: before, new_text: after } = input;
  if (tool !== "editor" || typeof written !== "string" || typeof after !== "string") return null;
  const path = toAbsolutePath(written, cwd);
  const insertedAt = Number(/^Inserted content at line (\d+) /.exec(said)?.[1] ?? Number.NaN);
  if (insertedAt > 0)
    return [makeHunksEdit(path, [makeHunk(signLines("+", after), insertedAt - 1, insertedAt)])];
  if (typeof before !== "string") return [makeWholeFileEdit(path, after)];
  return [makeHunksEdit(path, [parseShownHunk(said) ?? makeReplacementHunk(before, after)])];
}

/** The whole lines that an edit changed, as its result shows them: "-3: removed", "+3: added"; null if some are left out. */
function parseShownHunk(said: string): EditHunk | null {
  const [, diff] = /\n```diff\n([\s\S]*)\n```\s*$/.exec(said) ?? [];
  if (diff === undefined) return null;
  const lines: string[] = [];
  const starts: Partial<Record<string, number>> = {};
  for (const line of diff.split("\n")) {
    const [, sign, number, text] = /^([-+])(\d+): (.*)$/.exec(line) ?? [];
    if (sign === undefined) return null;
    starts[sign] ??= Number(number);
    lines.push(sign + text!);
  }
  const [from, to] = [starts["-"], starts["+"]];
  return makeHunk(lines, from ?? (to ?? 1) - 1, to ?? (from ?? 1) - 1);
}
