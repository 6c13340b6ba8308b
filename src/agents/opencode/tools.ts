import type { FileEdit, FileTouch, ToolResult, TranscriptEntry } from "../agent.ts";
import { boundInput } from "../reading/bounds.ts";
import { makeHunksEdit, makeReplacementHunk, makeWholeFileEdit, parseUnifiedDiff } from "../reading/edits.ts";
import { emptyToNull, parseEach } from "../reading/json.ts";
import { isOwnCommand, withoutOwnContext } from "../reading/own-output.ts";
import { makeToolResult, makeToolUse, makeTouches, toTouches } from "../reading/tool-calls.ts";
import { asMetadata, asPatchedFile, type PartData } from "./database.ts";

type OpencodeInput = Record<string, unknown>;
type ToolState = NonNullable<PartData["state"]>;

/** A tool's call and, if it ended, its result. */
export function parseToolEntries(part: PartData, cwd: string): TranscriptEntry[] | string {
  const [tool, id] = [emptyToNull(part.tool), emptyToNull(part.callID)];
  if (tool === null || id === null || !part.state) return "malformed";
  const { state } = part;
  const input = boundInput(state.input);
  const edits = findEdits(tool, state, input, cwd);
  const how = Object.hasOwn(touchesByTool, tool) ? touchesByTool[tool]! : null;
  const files = edits ? toTouches(edits) : how === null ? [] : makeTouches(input.filePath, how, cwd);
  const use = makeToolUse(id, tool, { input, files });
  return state.status === "completed" || state.status === "error"
    ? [use, parseToolResult(id, tool, state, input, edits)]
    : [use];
}

/** Which tools name a file in their input, and what they do to it. */
const touchesByTool: Readonly<Record<string, FileTouch["how"]>> = {
  read: "read",
  edit: "edit",
  write: "write",
};

function parseToolResult(
  id: string,
  tool: string,
  state: ToolState,
  input: OpencodeInput,
  edits: FileEdit[] | null,
): ToolResult {
  const found = asMetadata(state.metadata);
  // A command that failed is a call that succeeded.
  const isError = state.status === "error" || (tool === "bash" && (found?.exit ?? 0) !== 0);
  const text = withoutOwnContext(state.output ?? state.error ?? "");
  const isOwn = isOwnCall(tool, input);
  const subagent = tool === "task" ? emptyToNull(found?.sessionId) : null;
  return makeToolResult(id, { text, isError, isOwn, edits, subagent });
}

/** Whether a call ran Pommel, whose result is not stored. The client names a server's tools `<server>_<tool>`. */
function isOwnCall(tool: string, { command }: OpencodeInput): boolean {
  return /^pommel_/.test(tool) || (typeof command === "string" && isOwnCommand(command));
}

/** What a call wrote; null for tools that write nothing, and for calls that failed. */
function findEdits(
  tool: string,
  { status, metadata }: ToolState,
  input: OpencodeInput,
  cwd: string,
): FileEdit[] | null {
  if (status !== "completed") return null;
  const found = asMetadata(metadata);
  if (tool === "apply_patch") return parsePatchedFiles(found?.files);
  const [file] = makeTouches(input.filePath, "edit", cwd);
  if (file === undefined) return null;
  if (tool === "write" && typeof input.content === "string")
    return [makeWholeFileEdit(file.path, input.content)];
  if (tool !== "edit") return null;
  if (found?.diff) return [makeHunksEdit(file.path, parseUnifiedDiff(found.diff))];
  const { oldString: before, newString: after } = input;
  if (typeof before !== "string" || typeof after !== "string") return null;
  return [makeHunksEdit(file.path, [makeReplacementHunk(before, after)])];
}

/** A patch's edits, one for each file; a moved file is the one that it became. */
function parsePatchedFiles(files: unknown): FileEdit[] | null {
  if (!Array.isArray(files)) return null;
  return parseEach(asPatchedFile, files.slice(0, 500)).flatMap(({ filePath, movePath, patch }) => {
    const path = emptyToNull(movePath) ?? emptyToNull(filePath);
    return path === null ? [] : [makeHunksEdit(path, parseUnifiedDiff(patch ?? ""))];
  });
}
