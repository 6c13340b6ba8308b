import { posix, win32 } from "node:path";
import * as z from "zod/mini";
import type { Agent, FileEdit, Todo, ToolAction, ToolUse } from "../agent.ts";
import { bounded, bounds } from "./bounds.ts";

/** Operations of the Messages API's text editor; its `command` is not a shell command. */
const editorOperations: Readonly<Record<string, ToolAction>> = {
  view: "read",
  create: "write",
  str_replace: "write",
  insert: "write",
  undo_edit: "write",
};

/** Infers what a call does from its input and files, because agents and MCP servers choose any tool names. */
export function actionByInput({ input, files }: Pick<ToolUse, "input" | "files">): ToolAction {
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
export function absolute(path: string, cwd: string | null): string {
  // Transcripts may come from another system: a drive letter or a server (`\\wsl.localhost`) means Windows paths.
  const isWindows = [path, cwd ?? ""].some((one) => /^(?:[A-Za-z]:[\\/]|\\\\)/.test(one));
  const { isAbsolute, resolve } = isWindows ? win32 : posix;
  if (isAbsolute(path) || cwd === null || !isAbsolute(cwd)) return path;
  return resolve(cwd, path);
}

/** A replacement without a known position. */
export function replacement(before: string, after: string): FileEdit["hunks"][number] {
  const removed = hunkLines("-", before);
  const added = hunkLines("+", after);
  return {
    oldStart: 0,
    oldLines: removed.length,
    newStart: 0,
    newLines: added.length,
    lines: [...removed, ...added],
  };
}

/** The lines of a text as removed ("-") or added ("+") lines of a hunk. */
export function hunkLines(sign: "-" | "+", written: string): string[] {
  const text = bounded(written, bounds.input);
  if (text === "") return [];
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${sign}${line}`);
}

const todoList = z.object({ todos: z.array(z.object({ content: z.string(), status: z.string() })) });

/** The list of things to do of an agent with a tool that gets all of it: that of the last call. */
export const todosOf = (tool: string): NonNullable<Agent["todos"]> => ({
  tools: [tool],
  after(entries) {
    let todos: Todo[] = [];
    for (const entry of entries) {
      if (entry.kind !== "tool_use" || entry.tool !== tool) continue;
      const { success, data } = todoList.safeParse(entry.input);
      if (success) todos = data.todos.map(({ content: text, status }) => ({ text, status }));
    }
    return todos.filter(({ status }) => status !== "cancelled");
  },
});
