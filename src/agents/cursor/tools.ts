import type { FileEdit, FileTouch, TranscriptEntry } from "../agent.ts";
import { boundInput } from "../reading/bounds.ts";
import { diffLines, makeHunksEdit, makeReplacementHunk, makeWholeFileEdit } from "../reading/edits.ts";
import { asObject, decodeJsonText, emptyToNull } from "../reading/json.ts";
import { isOwnCommand, isOwnTool, withoutOwnContext } from "../reading/own-output.ts";
import { makeToolResult, makeToolUse, makeTouches } from "../reading/tool-calls.ts";
import { asContents, type CursorTool } from "./database.ts";

type CursorInput = Record<string, unknown>;

/** What a call's context gives: where it ran, and contents that the database keeps under keys of their own. */
export interface CursorCallContext {
  cwd: string | null;
  contentAt: (key: string) => string | null;
}

/** A tool's call and, if it ended, its result; why it says nothing, otherwise. */
export function parseToolEntries(
  call: CursorTool,
  bubbleId: string,
  around: CursorCallContext,
): TranscriptEntry[] | string {
  const tool = emptyToNull(call.name);
  if (tool === null) return "malformed";
  const id = emptyToNull(call.toolCallId) ?? bubbleId;
  const input = boundInput({
    ...asObject(decodeJsonText(call.rawArgs)),
    ...asObject(decodeJsonText(call.params)),
  });
  const files = listTouchedFiles(tool, input, around.cwd);
  const use = makeToolUse(id, tool, { input, files });
  if (!hasEnded(call)) return [use];
  const isError = call.status !== "completed";
  const isOwn =
    isOwnTool(tool) ||
    /^mcp[_-]+(?:user-)?pommel[_-]/.test(tool) ||
    (typeof input.command === "string" && isOwnCommand(input.command));
  const edits = isError ? null : findEdits(call, input, files, around);
  return [
    use,
    makeToolResult(id, { text: withoutOwnContext(extractResultText(call)), isError, isOwn, edits }),
  ];
}

/** Whether a call has its result, or will never have one. */
export const hasEnded = ({ status }: CursorTool) =>
  ["completed", "error", "cancelled", "rejected"].includes(status ?? "");

/** Older clients' names, and newer ones'. */
const writes = new Set(["edit_file", "search_replace", "write", "MultiEdit", "multi_edit", "delete_file"]);
const reads = new Set(["read_file"]);

function listTouchedFiles(name: string, input: CursorInput, cwd: string | null): FileTouch[] {
  const tool = name.replace(/_v\d+$/, "");
  const how = writes.has(tool) ? (tool === "write" ? "write" : "edit") : reads.has(tool) ? "read" : null;
  const path = [
    input.relativeWorkspacePath,
    input.target_file,
    input.targetFile,
    input.file_path,
    input.path,
  ].find((one) => typeof one === "string" && one !== "");
  return how === null ? [] : makeTouches(path, how, cwd);
}

function extractResultText({ result, error }: CursorTool): string {
  const value = decodeJsonText(result);
  const { output, contents } = asObject(value);
  for (const text of [output, contents]) if (typeof text === "string") return text;
  const failed = asObject(decodeJsonText(error));
  const message =
    failed.clientVisibleErrorMessage ?? failed.message ?? (typeof error === "string" ? error : "");
  if (typeof result === "string" && result !== "") return result;
  return typeof message === "string" ? message : "";
}

/** What a call wrote; null for calls that write nothing. */
function findEdits(
  { result }: CursorTool,
  input: CursorInput,
  [file]: FileTouch[],
  { contentAt }: CursorCallContext,
): FileEdit[] | null {
  if (file === undefined || file.how === "read") return null;
  const { path } = file;
  const ids = asContents(decodeJsonText(result));
  const after = ids ? contentAt(ids.afterContentId) : null;
  if (ids && after !== null) {
    const before = emptyToNull(ids.beforeContentId) === null ? null : contentAt(ids.beforeContentId!);
    if (before !== null) return [makeHunksEdit(path, diffLines(before, after))];
    // Without the content before, what was there already is not known.
    if (emptyToNull(ids.beforeContentId) === null) return [makeWholeFileEdit(path, after)];
  }
  const { old_string: old, new_string: now, contents } = input;
  if (typeof old === "string" && typeof now === "string")
    return [makeHunksEdit(path, [makeReplacementHunk(old, now)])];
  return typeof contents === "string" ? [makeWholeFileEdit(path, contents)] : null;
}
