import * as z from "zod/mini";
import type { StoredLine } from "../../sessions/turn-content.ts";

/** Something that an agent set out to do. */
export interface Todo {
  text: string;
  /** In the agent's words: pending, in_progress, completed. */
  status: string;
}

/** TodoWrite writes the whole list every time. */
const listShape = z.object({ todos: z.array(z.object({ content: z.string(), status: z.string() })) });
/** TaskCreate and TaskUpdate change one of them; the number of a new one stands in the result. */
const newShape = z.object({ subject: z.string() });
const changeShape = z.object({
  taskId: z.union([z.string(), z.number()]),
  status: z.optional(z.string()),
  subject: z.optional(z.string()),
});

/** The list of things to do that an agent kept, as it was after these lines; empty when it kept none. */
export function todosIn(lines: Iterable<StoredLine>): Todo[] {
  let todos = new Map<string, Todo>();
  const created = new Map<string, string>();
  for (const { entries } of lines) {
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
  }
  return [...todos.values()].filter(({ status }) => status !== "deleted");
}
