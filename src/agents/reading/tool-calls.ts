import type { FileEdit, ToolAction, ToolUse } from "../agent.ts";
import { bounded, bounds } from "./bounds.ts";

/** What the editor of the Messages API calls its own operations; its `command` is no shell command. */
const editorOperations: Readonly<Record<string, ToolAction>> = {
  view: "read",
  create: "write",
  str_replace: "write",
  insert: "write",
  undo_edit: "write",
};

/**
 * What a call does, by the shape of its input and the files that it touches: every agent and every MCP server names its
 * tools as it likes.
 */
export function actionByInput({ input, files }: Pick<ToolUse, "input" | "files">): ToolAction {
  const { command, path, prompt, description, subagent_type } = input;
  if (typeof command === "string") {
    const isEditor = typeof path === "string" && Object.hasOwn(editorOperations, command);
    return isEditor ? editorOperations[command]! : "command";
  }
  // A subagent is told what to do, and what that is called.
  if (isText(prompt) && (isText(description) || isText(subagent_type))) return "delegate";
  if (files.some(({ how }) => how !== "read")) return "write";
  return files.length > 0 ? "read" : "other";
}

const isText = (value: unknown) => typeof value === "string";

/** What was put in the place of what, where nobody says where. */
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

/** The lines of a text, as a hunk has those that were taken out ("-") or put in ("+"). */
export function hunkLines(sign: "-" | "+", written: string): string[] {
  const text = bounded(written, bounds.input);
  if (text === "") return [];
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${sign}${line}`);
}
