import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Sqlite } from "../../sqlite/sqlite.ts";
import { Memory } from "../memory.ts";
import { packContent } from "../sessions/content.ts";
import { turnsOf } from "../sessions/turns.ts";
import { memoryMigrations } from "./schema.ts";

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-actions-"));
  file = join(dir, "memory.db");
});
afterEach(() => rmSync(dir, { recursive: true }));

/** A memory as the third step left it, with these turns. */
function olderMemory(turns: readonly { tools: Record<string, number>; content: Uint8Array }[]): void {
  const db = new Sqlite(file, { mode: "create", timeoutMs: 0 });
  for (const step of memoryMigrations.slice(0, 3)) db.exec(step as string);
  db.exec("PRAGMA user_version = 3");
  db.exec("INSERT INTO sessions (id, uid, agent, cwd) VALUES (1, 's', 'claude', '/p')");
  const insert = db.prepare(
    "INSERT INTO turns (session_id, number, group_start, prompt, tools, content) VALUES (1, ?, 1, '', ?, ?)",
  );
  turns.forEach(({ tools, content }, i) => {
    insert.run(i + 1, JSON.stringify(tools), content);
  });
  db.close();
}

function actionsStored(): unknown[] {
  const memory = Memory.open(file, { readonly: false });
  try {
    return turnsOf(memory, 1).map(({ actions }) => actions);
  } finally {
    memory.close();
  }
}

const use = (input: object, files: object[] = []) => ({ kind: "tool_use", id: "1", tool: "x", input, files });
const lines = (...entries: object[]) => packContent([{ entries }]);

it("turns from before are classified by their archived calls", () => {
  olderMemory([
    { tools: { console: 2 }, content: lines(use({ command: "make" }), use({ command: "ls" })) },
    {
      tools: { x: 4 },
      content: lines(
        { kind: "text", text: "so" },
        use({ prompt: "look", description: "a look" }),
        use({}, [{ path: "a.ts", how: "edit" }]),
        use({}, [{ path: "a.ts", how: "read" }]),
        use({ query: "a" }),
      ),
    },
    { tools: {}, content: lines({ kind: "text", text: "no calls" }) },
  ]);
  expect(actionsStored()).toEqual([{ command: 2 }, { delegate: 1, write: 1, read: 1, other: 1 }, {}]);
});

it("turns whose lines cannot be read are classified by the names of their tools", () => {
  const tools = { Bash: 2, run_shell_command: 1, Task: 1, apply_patch: 1, Read: 3, toString: 1 };
  olderMemory([
    { tools, content: Buffer.from("damaged") },
    { tools: { exec: 1 }, content: lines({ kind: "tool_use" }) },
  ]);
  expect(actionsStored()).toEqual([{ command: 3, delegate: 1, write: 1, read: 3, other: 1 }, { other: 1 }]);
});
