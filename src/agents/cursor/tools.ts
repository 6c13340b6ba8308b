import type { Entry, FileEdit, FileTouch } from "../agent.ts";
import { boundedInput } from "../reading/bounds.ts";
import { changedFile, lineDiff, replacement, wholeFile } from "../reading/edits.ts";
import { asObject, known, parsedText } from "../reading/json.ts";
import { isOwnCommand, isOwnTool, withoutOwnContext } from "../reading/own-output.ts";
import { toolResult, toolUse, touched } from "../reading/tool-calls.ts";
import { asContents, type Tool } from "./database.ts";

type Input = Record<string, unknown>;

/** What a call's context gives: where it ran, and contents that the database keeps under keys of their own. */
export interface Around {
  cwd: string | null;
  contentAt: (key: string) => string | null;
}

/** A tool's call and, if it ended, its result; why it says nothing, otherwise. */
export function toolEntries(call: Tool, bubbleId: string, around: Around): Entry[] | string {
  const tool = known(call.name);
  if (tool === null) return "malformed";
  const id = known(call.toolCallId) ?? bubbleId;
  const input = boundedInput({ ...asObject(parsedText(call.rawArgs)), ...asObject(parsedText(call.params)) });
  const files = filesOf(tool, input, around.cwd);
  const use = toolUse(id, tool, { input, files });
  if (!hasEnded(call)) return [use];
  const isError = call.status !== "completed";
  const isOwn =
    isOwnTool(tool) ||
    /^mcp[_-]+(?:user-)?pommel[_-]/.test(tool) ||
    (typeof input.command === "string" && isOwnCommand(input.command));
  const edits = isError ? null : editsOf(call, input, files, around);
  return [use, toolResult(id, { text: withoutOwnContext(textOf(call)), isError, isOwn, edits })];
}

/** Whether a call has its result, or will never have one. */
export const hasEnded = ({ status }: Tool) =>
  ["completed", "error", "cancelled", "rejected"].includes(status ?? "");

/** Older clients' names, and newer ones'. */
const writes = new Set(["edit_file", "search_replace", "write", "MultiEdit", "multi_edit", "delete_file"]);
const reads = new Set(["read_file"]);

function filesOf(name: string, input: Input, cwd: string | null): FileTouch[] {
  const tool = name.replace(/_v\d+$/, "");
  const how = writes.has(tool) ? (tool === "write" ? "write" : "edit") : reads.has(tool) ? "read" : null;
  const path = [
    input.relativeWorkspacePath,
    input.target_file,
    input.targetFile,
    input.file_path,
    input.path,
  ].find((one) => typeof one === "string" && one !== "");
  return how === null ? [] : touched(path, how, cwd);
}

function textOf({ result, error }: Tool): string {
  const value = parsedText(result);
  const { output, contents } = asObject(value);
  for (const text of [output, contents]) if (typeof text === "string") return text;
  const failed = asObject(parsedText(error));
  const message =
    failed.clientVisibleErrorMessage ?? failed.message ?? (typeof error === "string" ? error : "");
  if (typeof result === "string" && result !== "") return result;
  return typeof message === "string" ? message : "";
}

/** What a call wrote; null for calls that write nothing. */
function editsOf(
  { result }: Tool,
  input: Input,
  [file]: FileTouch[],
  { contentAt }: Around,
): FileEdit[] | null {
  if (file === undefined || file.how === "read") return null;
  const { path } = file;
  const ids = asContents(parsedText(result));
  const after = ids ? contentAt(ids.afterContentId) : null;
  if (ids && after !== null) {
    const before = known(ids.beforeContentId) === null ? null : contentAt(ids.beforeContentId!);
    if (before !== null) return [changedFile(path, lineDiff(before, after))];
    // Without the content before, what was there already is not known.
    if (known(ids.beforeContentId) === null) return [wholeFile(path, after)];
  }
  const { old_string: old, new_string: now, contents } = input;
  if (typeof old === "string" && typeof now === "string") return [changedFile(path, [replacement(old, now)])];
  return typeof contents === "string" ? [wholeFile(path, contents)] : null;
}
