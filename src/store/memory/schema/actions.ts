import type { Sqlite } from "../../sqlite/sqlite.ts";
import { unpackContent } from "../sessions/content.ts";

/**
 * The fourth step of the schema of memory.db: what a turn's tool calls did, beside their names. Like every step, it
 * stays as released; the agents' adapters define what calls do today.
 */
export function addActions(db: Sqlite): void {
  db.exec(table);
  const read = db.prepare("SELECT tools, content FROM turns WHERE id = ?");
  const insert = db.prepare("INSERT INTO turn_actions (turn_id, action, calls) VALUES (?, ?, ?)");
  for (const id of db.prepare("SELECT id FROM turns WHERE tools <> '{}'").pluck().all()) {
    const turn = read.get(id) as { tools: string; content: Uint8Array };
    for (const [action, calls] of countBy(actionsOfCalls(turn))) insert.run(id, action, calls);
  }
}

// No column of turns: it would lie behind the content, and take reading that to get at.
const table = `
  -- What a turn's tool calls did.
  CREATE TABLE turn_actions (
    turn_id INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- ToolAction of agents/agent.ts: command, write, read, delegate, other.
    action  TEXT NOT NULL,
    -- How many did, failed ones included.
    calls   INTEGER NOT NULL,
    PRIMARY KEY (turn_id, action)
  ) STRICT, WITHOUT ROWID;
`;

/** By the calls themselves; where what was archived cannot be read, by the names of the three agents' tools. */
function actionsOfCalls({ tools, content }: { tools: string; content: Uint8Array }): [string, number][] {
  try {
    return unpackContent<{ entries: Call[] }>(content).flatMap(({ entries }) =>
      entries.filter(({ kind }) => kind === "tool_use").map((use): [string, number] => [actionOf(use), 1]),
    );
  } catch {
    const counts = Object.entries(JSON.parse(tools) as Record<string, number>);
    return counts.map(([name, count]) => [actionOfName(name), count]);
  }
}

interface Call {
  kind: string;
  input: Record<string, unknown>;
  files: { how: string }[];
}

function actionOf({ input, files }: Call): string {
  const { command, prompt, description, subagent_type } = input;
  if (typeof command === "string") return "command";
  const isNamed = typeof description === "string" || typeof subagent_type === "string";
  if (typeof prompt === "string" && isNamed) return "delegate";
  if (files.some(({ how }) => how !== "read")) return "write";
  return files.length > 0 ? "read" : "other";
}

const names = {
  command: /^(?:Bash|PowerShell|run_shell_command)$/,
  delegate: /^(?:Task|Agent|spawn_agent)$/,
  write: /^(?:Edit|MultiEdit|Write|NotebookEdit|apply_patch|replace|edit|write_file)$/,
  read: /^(?:Read|NotebookRead|Grep|view_image|read_file|read_many_files|grep_search|search_file_content)$/,
};

function actionOfName(name: string): string {
  return Object.entries(names).find(([, pattern]) => pattern.test(name))?.[0] ?? "other";
}

function countBy(actions: readonly [string, number][]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [action, count] of actions) counts.set(action, (counts.get(action) ?? 0) + count);
  return counts;
}
