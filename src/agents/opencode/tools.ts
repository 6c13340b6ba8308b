import type { Entry, FileEdit, FileTouch, ToolResult } from "../agent.ts";
import { boundedInput } from "../reading/bounds.ts";
import { changedFile, hunksOf, replacement, wholeFile } from "../reading/edits.ts";
import { each, known } from "../reading/json.ts";
import { isOwnCommand, withoutOwnContext } from "../reading/own-output.ts";
import { toolResult, toolUse, touched, touchedBy } from "../reading/tool-calls.ts";
import { asMetadata, asPatchedFile, type PartData } from "./database.ts";

type Input = Record<string, unknown>;
type State = NonNullable<PartData["state"]>;

/** A tool's call and, if it ended, its result. */
export function toolEntries(part: PartData, cwd: string): Entry[] | string {
  const [tool, id] = [known(part.tool), known(part.callID)];
  if (tool === null || id === null || !part.state) return "malformed";
  const { state } = part;
  const input = boundedInput(state.input);
  const edits = editsOf(tool, state, input, cwd);
  const how = Object.hasOwn(touches, tool) ? touches[tool]! : null;
  const files = edits ? touchedBy(edits) : how === null ? [] : touched(input.filePath, how, cwd);
  const use = toolUse(id, tool, { input, files });
  return state.status === "completed" || state.status === "error"
    ? [use, resultOf(id, tool, state, input, edits)]
    : [use];
}

/** Which tools name a file in their input, and what they do to it. */
const touches: Readonly<Record<string, FileTouch["how"]>> = { read: "read", edit: "edit", write: "write" };

function resultOf(
  id: string,
  tool: string,
  state: State,
  input: Input,
  edits: FileEdit[] | null,
): ToolResult {
  const found = asMetadata(state.metadata);
  // A command that failed is a call that succeeded.
  const isError = state.status === "error" || (tool === "bash" && (found?.exit ?? 0) !== 0);
  const text = withoutOwnContext(state.output ?? state.error ?? "");
  const isOwn = isOwnCall(tool, input);
  const subagent = tool === "task" ? known(found?.sessionId) : null;
  return toolResult(id, { text, isError, isOwn, edits, subagent });
}

/** Whether a call ran Pommel, whose result is not stored. The client names a server's tools `<server>_<tool>`. */
function isOwnCall(tool: string, { command }: Input): boolean {
  return /^pommel_/.test(tool) || (typeof command === "string" && isOwnCommand(command));
}

/** What a call wrote; null for tools that write nothing, and for calls that failed. */
function editsOf(tool: string, { status, metadata }: State, input: Input, cwd: string): FileEdit[] | null {
  if (status !== "completed") return null;
  const found = asMetadata(metadata);
  if (tool === "apply_patch") return patched(found?.files);
  const [file] = touched(input.filePath, "edit", cwd);
  if (file === undefined) return null;
  if (tool === "write" && typeof input.content === "string") return [wholeFile(file.path, input.content)];
  if (tool !== "edit") return null;
  if (found?.diff) return [changedFile(file.path, hunksOf(found.diff))];
  const { oldString: before, newString: after } = input;
  if (typeof before !== "string" || typeof after !== "string") return null;
  return [changedFile(file.path, [replacement(before, after)])];
}

/** A patch's edits, one for each file; a moved file is the one that it became. */
function patched(files: unknown): FileEdit[] | null {
  if (!Array.isArray(files)) return null;
  return each(asPatchedFile, files.slice(0, 500)).flatMap(({ filePath, movePath, patch }) => {
    const path = known(movePath) ?? known(filePath);
    return path === null ? [] : [changedFile(path, hunksOf(patch ?? ""))];
  });
}
