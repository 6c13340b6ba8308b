import type { Entry, FileEdit, FileTouch, ToolResult } from "../agent.ts";
import { bounded, boundedInput, bounds } from "../reading/bounds.ts";
import { known } from "../reading/json.ts";
import { isOwnCommand, withoutOwnContext } from "../reading/own-output.ts";
import { absolute, actionByInput, replacement } from "../reading/tool-calls.ts";
import { hunksOf } from "../reading/unified-diff.ts";
import { asMetadata, asPatchedFile, type PartData } from "./row-schema.ts";

type Input = Record<string, unknown>;
type State = NonNullable<PartData["state"]>;

/** A tool's call and, if it ended, its result. */
export function toolEntries(part: PartData, cwd: string): Entry[] | string {
  const [tool, id] = [known(part.tool), known(part.callID)];
  if (tool === null || id === null || !part.state) return "malformed";
  const { state } = part;
  const input = boundedInput(state.input);
  const edits = editsOf(tool, state, input, cwd);
  const files = edits
    ? edits.map(({ path, content }) => touch(path, content === null ? "edit" : "write"))
    : filesOf(tool, input, cwd);
  const use: Entry = { kind: "tool_use", id, tool, input, files, action: actionByInput({ input, files }) };
  return state.status === "completed" || state.status === "error"
    ? [use, resultOf(id, tool, state, input, edits)]
    : [use];
}

const touch = (path: string, how: FileTouch["how"]): FileTouch => ({ path, how });

/** Which tools name a file in their input, and what they do to it. */
const touches: Readonly<Record<string, FileTouch["how"]>> = { read: "read", edit: "edit", write: "write" };

function filesOf(tool: string, input: Input, cwd: string): FileTouch[] {
  const how = Object.hasOwn(touches, tool) ? touches[tool]! : null;
  const path = input.filePath;
  return how !== null && isPath(path) ? [touch(absolute(path, cwd), how)] : [];
}

const isPath = (path: unknown): path is string =>
  typeof path === "string" && path !== "" && path.length <= 4096;

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
  return {
    kind: "tool_result",
    id,
    text: isOwnCall(tool, input) ? "" : bounded(text, bounds.result),
    isError,
    edits: isError ? null : edits,
    subagent: tool === "task" ? known(found?.sessionId) : null,
  };
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
  const path = input.filePath;
  if (!isPath(path)) return null;
  const file = absolute(path, cwd);
  if (tool === "write" && typeof input.content === "string")
    return [{ path: file, hunks: [], content: bounded(input.content, bounds.input) }];
  if (tool !== "edit") return null;
  if (found?.diff) return [{ path: file, hunks: hunksOf(found.diff), content: null }];
  const { oldString: before, newString: after } = input;
  if (typeof before !== "string" || typeof after !== "string") return null;
  return [{ path: file, hunks: [replacement(before, after)], content: null }];
}

/** A patch's edits, one for each file; a moved file is the one that it became. */
function patched(files: unknown): FileEdit[] | null {
  if (!Array.isArray(files)) return null;
  return files.slice(0, 500).flatMap((file): FileEdit[] => {
    const { filePath, movePath, patch } = asPatchedFile(file) ?? {};
    const path = known(movePath) ?? known(filePath);
    return path === null ? [] : [{ path, hunks: hunksOf(patch ?? ""), content: null }];
  });
}
