import { posix } from "node:path";
import * as z from "zod/mini";
import type { FileEdit, FileTouch, Todo, ToolResult, TranscriptEntry } from "../agent.ts";
import { bounds, boundText } from "../reading/bounds.ts";
import { type ContentBlock, joinBlockTexts } from "../reading/content-blocks.ts";
import { type EditHunk, makeHunksEdit, makeReplacementHunk, makeWholeFileEdit } from "../reading/edits.ts";
import { makeLenientParser, parseEach } from "../reading/json.ts";
import { makeToolResult, makeTouches, parseTodoList } from "../reading/tool-calls.ts";
import { asHunk, asStructured, type Structured } from "./line-schema.ts";
import { withoutReminders } from "./message-text.ts";

/** Which field of a tool's input names a file, and what the tool does to it. */
const touchesByTool: Readonly<Record<string, { field: string; how: FileTouch["how"] }>> = {
  Read: { field: "file_path", how: "read" },
  NotebookRead: { field: "notebook_path", how: "read" },
  Edit: { field: "file_path", how: "edit" },
  MultiEdit: { field: "file_path", how: "edit" },
  NotebookEdit: { field: "notebook_path", how: "edit" },
  Write: { field: "file_path", how: "write" },
  Grep: { field: "path", how: "read" },
};

/** The files that a call touches, absolute if the working directory is known. */
export function listTouchedFiles(
  tool: string,
  input: Record<string, unknown>,
  cwd: string | null,
): FileTouch[] {
  const touch = Object.hasOwn(touchesByTool, tool) ? touchesByTool[tool]! : null;
  const path = touch && input[touch.field];
  // A search path without extension is usually a directory.
  if (!touch || (tool === "Grep" && posix.extname(String(path)) === "")) return [];
  return makeTouches(path, touch.how, cwd);
}

/** A tool's result. `own`: it is Pommel's, and its text is not stored. */
export function parseToolResult(block: ContentBlock, beside: unknown, own: boolean): ToolResult {
  const structured = asStructured(beside);
  return makeToolResult(block.tool_use_id ?? "", {
    text: withoutReminders(joinBlockTexts(block.content)),
    isError: block.is_error === true,
    isOwn: own,
    edits: structured && findEdits(structured),
    subagent: structured?.agentId || null,
  });
}

function findEdits(result: Structured): FileEdit[] | null {
  const path = result.filePath ?? result.notebook_path;
  if (!path || path.length > 4096) return null;
  if (result.structuredPatch) {
    const hunks = parseHunks(result.structuredPatch);
    if (typeof result.content === "string") return [{ ...makeWholeFileEdit(path, result.content), hunks }];
    if (hunks.length > 0) return [makeHunksEdit(path, hunks)];
  }
  // Without a patch, the written text is known, but not its place.
  const written = result.newString ?? result.new_source;
  if (typeof written === "string")
    return [makeHunksEdit(path, [makeReplacementHunk(result.oldString ?? "", written)])];
  return result.structuredPatch ? [makeHunksEdit(path, [])] : null;
}

/** The hunks of a patch, up to the size limit. */
function parseHunks(patch: readonly unknown[]): EditHunk[] {
  let left = 4 * bounds.input;
  const hunks: EditHunk[] = [];
  for (const hunk of parseEach(asHunk, patch)) {
    const lines = hunk.lines.map((line) => boundText(line, bounds.input));
    left -= lines.reduce((sum, line) => sum + line.length, 0);
    if (left < 0) break;
    hunks.push({ ...hunk, lines });
  }
  return hunks;
}

/** TaskCreate and TaskUpdate change one thing to do; the number of a new one is in the result. */
const asNewTask = makeLenientParser(z.object({ subject: z.string() }));
const asTaskChange = makeLenientParser(
  z.object({
    taskId: z.union([z.string(), z.number()]),
    status: z.optional(z.string()),
    subject: z.optional(z.string()),
  }),
);

export const todoTools = ["TodoWrite", "TaskCreate", "TaskUpdate"] as const;

/** The list of things to do that an agent kept, as it was after these lines; empty when it kept none. */
export function computeTodos(entries: Iterable<TranscriptEntry>): Todo[] {
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
      const list = parseTodoList(entry.input);
      if (list !== null) todos = new Map(list.map((todo, i) => [`todo ${i}`, todo]));
    } else if (entry.tool === "TaskCreate") {
      const task = asNewTask(entry.input);
      if (task) created.set(entry.id, task.subject);
    } else if (entry.tool === "TaskUpdate") {
      const change = asTaskChange(entry.input);
      const id = String(change?.taskId);
      const known = todos.get(id);
      if (!change || known === undefined) continue;
      todos.set(id, { text: change.subject ?? known.text, status: change.status ?? known.status });
    }
  }
  return [...todos.values()].filter(({ status }) => status !== "deleted");
}
