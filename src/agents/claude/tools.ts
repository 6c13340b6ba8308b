import { posix } from "node:path";
import * as z from "zod/mini";
import type { Entry, FileEdit, FileTouch, Todo, ToolResult } from "../agent.ts";
import { bounded, bounds } from "../reading/bounds.ts";
import { type Block, blocksText } from "../reading/content-blocks.ts";
import { absolute, replacement } from "../reading/tool-calls.ts";
import { asHunk, asStructured, type Hunk, type Structured } from "./line-schema.ts";
import { withoutReminders } from "./message-text.ts";

/** Which field of a tool's input names a file, and what the tool does to it. */
const touches: Readonly<Record<string, { field: string; how: FileTouch["how"] }>> = {
  Read: { field: "file_path", how: "read" },
  NotebookRead: { field: "notebook_path", how: "read" },
  Edit: { field: "file_path", how: "edit" },
  MultiEdit: { field: "file_path", how: "edit" },
  NotebookEdit: { field: "notebook_path", how: "edit" },
  Write: { field: "file_path", how: "write" },
  Grep: { field: "path", how: "read" },
};

/** The files that a call touches, absolute if the working directory is known. */
export function filesOf(tool: string, input: Record<string, unknown>, cwd: string | null): FileTouch[] {
  const touch = Object.hasOwn(touches, tool) ? touches[tool]! : null;
  const path = touch && input[touch.field];
  if (!touch || typeof path !== "string" || path === "" || path.length > 4096) return [];
  // A search path without extension is usually a directory.
  if (tool === "Grep" && posix.extname(path) === "") return [];
  return [{ path: absolute(path, cwd), how: touch.how }];
}

/** A tool's result. `own`: it is Pommel's, and its text is not stored. */
export function toolResult(block: Block, beside: unknown, own: boolean): ToolResult {
  const structured = asStructured(beside);
  return {
    kind: "tool_result",
    id: block.tool_use_id ?? "",
    text: own ? "" : resultText(block.content),
    isError: block.is_error === true,
    edits: structured && block.is_error !== true ? editsOf(structured) : null,
    subagent: structured?.agentId || null,
  };
}

function resultText(content: unknown): string {
  return bounded(withoutReminders(blocksText(content)), bounds.result);
}

function editsOf(result: Structured): FileEdit[] | null {
  const path = result.filePath ?? result.notebook_path;
  if (!path || path.length > 4096) return null;
  if (result.structuredPatch) {
    const content = typeof result.content === "string" ? bounded(result.content, bounds.input) : null;
    const hunks = hunksOf(result.structuredPatch);
    if (hunks.length > 0 || content !== null) return [{ path, hunks, content }];
  }
  // Without a patch, the written text is known, but not its place.
  const written = result.newString ?? result.new_source;
  if (typeof written === "string")
    return [{ path, hunks: [replacement(result.oldString ?? "", written)], content: null }];
  return result.structuredPatch ? [{ path, hunks: [], content: null }] : null;
}

/** The hunks of a patch, up to the size limit. */
function hunksOf(patch: readonly unknown[]): Hunk[] {
  let left = 4 * bounds.input;
  const hunks: Hunk[] = [];
  for (const hunk of patch.map(asHunk)) {
    if (hunk === null) continue;
    const lines = hunk.lines.map((line) => bounded(line, bounds.input));
    left -= lines.reduce((sum, line) => sum + line.length, 0);
    if (left < 0) break;
    hunks.push({ ...hunk, lines });
  }
  return hunks;
}

/** TodoWrite writes the whole list every time. */
const listShape = z.object({ todos: z.array(z.object({ content: z.string(), status: z.string() })) });
/** TaskCreate and TaskUpdate change one of them; the number of a new one is in the result. */
const newShape = z.object({ subject: z.string() });
const changeShape = z.object({
  taskId: z.union([z.string(), z.number()]),
  status: z.optional(z.string()),
  subject: z.optional(z.string()),
});

export const todoTools = ["TodoWrite", "TaskCreate", "TaskUpdate"] as const;

/** The list of things to do that an agent kept, as it was after these lines; empty when it kept none. */
export function todosAfter(entries: Iterable<Entry>): Todo[] {
  let todos = new Map<string, Todo>();
  const created = new Map<string, string>();
  for (const entry of entries) {
    if (entry.kind === "tool_result") {
      const text = created.get(entry.id);
      const [, number] = /^Task #(\d+) created/.exec(entry.text) ?? [];
      if (text !== undefined && number !== undefined) todos.set(number, { text, status: "pending" });
    }
    if (entry.kind !== "tool_use") continue;
    if (entry.tool === "TodoWrite") {
      const { success, data } = listShape.safeParse(entry.input);
      if (!success) continue;
      todos = new Map(data.todos.map(({ content: text, status }, i) => [`todo ${i}`, { text, status }]));
    } else if (entry.tool === "TaskCreate") {
      const { success, data } = newShape.safeParse(entry.input);
      if (success) created.set(entry.id, data.subject);
    } else if (entry.tool === "TaskUpdate") {
      const { success, data } = changeShape.safeParse(entry.input);
      const known = success ? todos.get(String(data.taskId)) : undefined;
      if (!success || known === undefined) continue;
      todos.set(String(data.taskId), {
        text: data.subject ?? known.text,
        status: data.status ?? known.status,
      });
    }
  }
  return [...todos.values()].filter(({ status }) => status !== "deleted");
}
