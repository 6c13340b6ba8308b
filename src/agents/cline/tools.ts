import * as z from "zod/mini";
import type { FileEdit, FileTouch, ToolResult, ToolUse } from "../agent.ts";
import { patchedFiles } from "../codex/patch.ts";
import { boundedInput } from "../reading/bounds.ts";
import { type Block, blocksText } from "../reading/content-blocks.ts";
import { changedFile, type Hunk, hunkLines, hunkOf, replacement, wholeFile } from "../reading/edits.ts";
import { anything, asObject, flag, known, lenient, type Parsed, parsedText, text } from "../reading/json.ts";
import { isOwnCommand, withoutOwnContext } from "../reading/own-output.ts";
import { absolute, toolResult, toolUse, touched, touchedBy } from "../reading/tool-calls.ts";

/** A call that waits for its result. */
export interface Call {
  tool: string;
  input: Record<string, unknown>;
}

/** A call, as one for each of its commands: the client runs several at once. */
export function callEntries({ id, name, input: given }: Block, cwd: string | null): ToolUse[] {
  const tool = known(name);
  if (known(id) === null || tool === null) return [];
  const commands = tool === "run_commands" ? commandsIn(given) : [];
  const inputs = commands.length > 0 ? commands.map((command) => ({ command })) : [given];
  return inputs.map((each, at) => {
    const input = boundedInput(each);
    const files = filesOf(tool, input, cwd);
    return toolUse(partId(id!, at), tool, {
      input,
      files,
      ...(delegates.has(tool) && { action: "delegate" }),
    });
  });
}

const partId = (id: string, at: number) => (at === 0 ? id : `${id}/${at}`);

/** Models write the list of commands in many ways, which the client takes. */
function commandsIn(input: unknown): string[] {
  if (typeof input === "string") return [input];
  if (Array.isArray(input)) return input.flatMap(commandsIn);
  const { commands, command, cmd, args } = asObject(input);
  if (commands !== undefined) return commandsIn(commands);
  const program = command ?? cmd;
  return typeof program === "string" ? [[program, ...(Array.isArray(args) ? args : [])].join(" ")] : [];
}

const delegates = new Set(["spawn_agent", "team_run_task"]);

function filesOf(tool: string, input: Call["input"], cwd: string | null): FileTouch[] {
  if (tool === "editor") {
    const isNew = typeof input.old_text !== "string" && typeof input.insert_line !== "number";
    return touched(input.path, isNew ? "write" : "edit", cwd);
  }
  if (tool === "apply_patch") return touchedBy(patchedFiles(input.input, cwd));
  if (tool !== "read_files") return [];
  const paths = [input.files ?? input.paths ?? input.file_paths ?? input].flat().slice(0, 500);
  return paths.flatMap((one) => {
    const { path, file_path, filePath } = asObject(one);
    return touched(typeof one === "string" ? one : (path ?? file_path ?? filePath), "read", cwd);
  });
}

/** The results of a call, one for each of its commands. */
export function resultEntries(block: Block, call: Call | undefined, cwd: string | null): ToolResult[] {
  const id = known(block.tool_use_id);
  if (id === null) return [];
  const tool = known(block.name) ?? call?.tool ?? "";
  const answers = answersIn(block.content);
  const isOne = tool !== "run_commands" || answers.length === 0;
  const groups = isOne ? [answers] : answers.map((answer) => [answer]);
  return groups.map((group, at) => {
    const isError = block.is_error === true || group.some(({ success }) => success === false);
    const isOwn = /^pommel__/.test(tool) || (tool === "run_commands" && isOwnCommand(group[0]?.query ?? ""));
    const text = answers.length > 0 ? group.map(answerText).join("\n") : blocksText(block.content);
    const edits = call ? editsOf(call, text, cwd) : null;
    return toolResult(partId(id, at), { text: withoutOwnContext(text), isError, isOwn, edits });
  });
}

/** The answer of a tool to one of the things that it was asked for. */
const asAnswer = lenient(
  z.object({ query: text, result: anything, error: text, success: flag, content: anything }),
);
type Answer = Parsed<typeof asAnswer>;

/** What tools answer: objects, or one object as JSON; none for a plain text. */
function answersIn(content: unknown): Answer[] {
  const values = typeof content === "string" ? [parsedText(content)].flat() : content;
  if (!Array.isArray(values)) return [];
  return values.slice(0, 500).flatMap((value) => {
    const answer = asAnswer(value);
    const isOne =
      answer && ("success" in asObject(value) || answer.error !== null || Array.isArray(answer.content));
    return isOne ? answer : [];
  });
}

function answerText({ result, error, content }: Answer): string {
  const text = blocksText(result ?? content);
  return text === "" ? (error ?? "") : text;
}

/** What a call wrote; null for calls that write nothing. */
function editsOf({ tool, input }: Call, said: string, cwd: string | null): FileEdit[] | null {
  if (tool === "apply_patch") return patchedFiles(input.input, cwd);
  const { path: written, old_text: before, new_text: after } = input;
  if (tool !== "editor" || typeof written !== "string" || typeof after !== "string") return null;
  const path = absolute(written, cwd);
  const insertedAt = Number(/^Inserted content at line (\d+) /.exec(said)?.[1] ?? Number.NaN);
  if (insertedAt > 0) return [changedFile(path, [hunkOf(hunkLines("+", after), insertedAt - 1, insertedAt)])];
  if (typeof before !== "string") return [wholeFile(path, after)];
  return [changedFile(path, [hunkIn(said) ?? replacement(before, after)])];
}

/** The whole lines that an edit changed, as its result shows them: "-3: removed", "+3: added"; null if some are left out. */
function hunkIn(said: string): Hunk | null {
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
  return hunkOf(lines, from ?? (to ?? 1) - 1, to ?? (from ?? 1) - 1);
}
