import { posix, win32 } from "node:path";
import * as z from "zod/mini";
import type { ToolAction } from "../../protocol/values.ts";
import type { Agent, FileEdit, FileTouch, Todo, ToolResult, ToolUse } from "../agent.ts";
import { bounds, boundText } from "./bounds.ts";
import { makeLenientParser } from "./json.ts";

/** Operations of the Messages API's text editor; its `command` is not a shell command. */
const editorOperations: Readonly<Record<string, ToolAction>> = {
  view: "read",
  create: "write",
  str_replace: "write",
  insert: "write",
  undo_edit: "write",
};

/** Infers what a call does from its input and files, because agents and MCP servers choose any tool names. */
export function inferAction({ input, files }: Pick<ToolUse, "input" | "files">): ToolAction {
  const { command, path, prompt, description, subagent_type } = input;
  if (typeof command === "string") {
    const isEditor = typeof path === "string" && Object.hasOwn(editorOperations, command);
    return isEditor ? editorOperations[command]! : "command";
  }
  // A subagent gets a prompt and a description.
  if (isText(prompt) && (isText(description) || isText(subagent_type))) return "delegate";
  if (files.some(({ how }) => how !== "read")) return "write";
  return files.length > 0 ? "read" : "other";
}

const isText = (value: unknown) => typeof value === "string";

/** A path in a transcript, absolute if the working directory is known. */
export function toAbsolutePath(path: string, cwd: string | null): string {
  // Transcripts may come from another system: a drive letter or a server (`\\wsl.localhost`) means Windows paths.
  const isWindows = [path, cwd ?? ""].some((one) => /^(?:[A-Za-z]:[\\/]|\\\\)/.test(one));
  const { isAbsolute, resolve } = isWindows ? win32 : posix;
  if (isAbsolute(path) || cwd === null || !isAbsolute(cwd)) return path;
  return resolve(cwd, path);
}

/** A file that a call touches; none where its path is missing or cannot be one. */
export function makeTouches(path: unknown, how: FileTouch["how"], cwd: string | null): FileTouch[] {
  const isPath = typeof path === "string" && path !== "" && path.length <= 4096;
  return isPath ? [{ path: toAbsolutePath(path, cwd), how }] : [];
}

/** What edits did to their files. */
export const toTouches = (edits: readonly FileEdit[]): FileTouch[] =>
  edits.map(({ path, content }) => ({ path, how: content === null ? "edit" : "write" }));

/** A call, whose action its input shows where the tool is not known. */
export function makeToolUse(
  id: string,
  tool: string,
  { input, files, action = inferAction({ input, files }) }: Pick<ToolUse, "input" | "files" | "action">,
): ToolUse {
  return { kind: "tool_use", id, tool, input, files, action };
}

/** What came of a call. */
export interface CallOutcome {
  text: string;
  isError?: boolean;
  /** A call of Pommel, whose result is not stored. */
  isOwn?: boolean;
  edits?: FileEdit[] | null;
  subagent?: string | null;
}

export function makeToolResult(
  id: string,
  { text, isError = false, isOwn = false, edits = null, subagent = null }: CallOutcome,
): ToolResult {
  const stored = isOwn ? "" : boundText(text, bounds.result);
  return { kind: "tool_result", id, text: stored, isError, edits: isError ? null : edits, subagent };
}

const asTodoList = makeLenientParser(
  z.object({ todos: z.array(z.object({ content: z.string(), status: z.string() })) }),
);

/** The whole list of things to do, as many agents' tools get it; null for other input. */
export const parseTodoList = (input: unknown): Todo[] | null =>
  asTodoList(input)?.todos.map(({ content: text, status }) => ({ text, status })) ?? null;

/** The list of things to do of an agent with a tool that gets all of it: that of the last call. */
export const makeTodosReader = (tool: string): NonNullable<Agent["todos"]> => ({
  tools: [tool],
  after(entries) {
    let todos: Todo[] = [];
    for (const entry of entries) {
      if (entry.kind === "tool_use" && entry.tool === tool) todos = parseTodoList(entry.input) ?? todos;
    }
    return todos.filter(({ status }) => status !== "cancelled");
  },
});
