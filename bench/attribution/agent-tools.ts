import { join } from "node:path";
import { type AgentSession, call, ownerOf, structuredPatch } from "./agent.ts";
import { type Line, newLine, type Owner, textsOf } from "./lines.ts";
import { save, tell, type World } from "./world.ts";

/** Makes new lines from existing ones. */
export type Change = (lines: readonly Line[], owner: Owner) => readonly Line[];

const textOf = (lines: readonly Line[]) =>
  textsOf(lines)
    .map((text) => `${text}\n`)
    .join("");

const absolute = ({ cwd }: AgentSession, path: string) => join(cwd, path);

/** What of two versions is not the same, with enough around it to be found once. */
function changedPart(before: readonly Line[], after: readonly Line[]): [string, string] {
  const a = textsOf(before);
  const b = textsOf(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  start = Math.max(0, start - 2);
  end = Math.max(0, end - 2);
  return [a.slice(start, a.length - end).join("\n"), b.slice(start, b.length - end).join("\n")];
}

/** Edits a file. `before` runs between the call and the write, as an approval does; `after` runs between the write and the tool's result: a formatting hook, or another writer. */
export async function edit(
  world: World,
  session: AgentSession,
  path: string,
  change: Change,
  {
    before: wait = () => {},
    after = () => {},
  }: { before?: () => void; after?: () => void | Promise<void> } = {},
): Promise<void> {
  const before = session.checkout.files.get(path)!;
  let lines: readonly Line[] = before;
  const filePath = absolute(session, path);
  await call(
    world,
    session,
    "Edit",
    (id) => {
      lines = change(before, ownerOf(session, id));
      const [old_string, new_string] = changedPart(before, lines);
      return { file_path: filePath, old_string, new_string, replace_all: false };
    },
    async () => {
      wait();
      save(world, session.checkout, path, lines, { by: session.uid });
      const [oldString, newString] = changedPart(before, lines);
      await after();
      return {
        content: `The file ${filePath} has been updated successfully.`,
        structured: {
          filePath,
          oldString,
          newString,
          originalFile: textOf(before),
          structuredPatch: structuredPatch(before, lines),
          userModified: false,
          replaceAll: false,
        },
      };
    },
  );
  tell(world, `  Edit ${path}`);
}

/** Several edits of one file in one call, as in older clients. */
export async function multiEdit(
  world: World,
  session: AgentSession,
  path: string,
  changes: readonly Change[],
): Promise<void> {
  const before = session.checkout.files.get(path)!;
  let lines: readonly Line[] = before;
  const filePath = absolute(session, path);
  const edits: { old_string: string; new_string: string; replace_all: boolean }[] = [];
  await call(
    world,
    session,
    "MultiEdit",
    (id) => {
      const owner = ownerOf(session, id);
      for (const change of changes) {
        const next = change(lines, owner);
        const [old_string, new_string] = changedPart(lines, next);
        edits.push({ old_string, new_string, replace_all: false });
        lines = next;
      }
      return { file_path: filePath, edits };
    },
    () => {
      save(world, session.checkout, path, lines, { by: session.uid });
      return {
        content: `Applied ${edits.length} edits to ${filePath}`,
        structured: {
          filePath,
          edits,
          originalFileContents: textOf(before),
          structuredPatch: structuredPatch(before, lines),
          userModified: false,
        },
      };
    },
  );
  tell(world, `  MultiEdit ${path}`);
}

/** Writes a file whole, whether it is there or not. */
export async function write(
  world: World,
  session: AgentSession,
  path: string,
  change: Change,
): Promise<void> {
  const before = session.checkout.files.get(path);
  let lines: readonly Line[] = [];
  const filePath = absolute(session, path);
  await call(
    world,
    session,
    "Write",
    (id) => {
      lines = change(before ?? [], ownerOf(session, id));
      return { file_path: filePath, content: textOf(lines) };
    },
    () => {
      save(world, session.checkout, path, lines, { by: session.uid });
      return {
        content: before
          ? `The file ${filePath} has been updated. Here's the result of running \`cat -n\`:`
          : `File created successfully at: ${filePath}`,
        structured: {
          type: before ? "update" : "create",
          filePath,
          content: textOf(lines),
          structuredPatch: before ? structuredPatch(before, lines) : [],
          originalFile: before ? textOf(before) : null,
          userModified: false,
        },
      };
    },
  );
  tell(world, `  Write ${path}${before ? " over" : ""}`);
}

/** Runs a command: `run` does it, and returns its output. */
export async function bash(
  world: World,
  session: AgentSession,
  command: (owner: Owner) => string,
  run: (owner: Owner) => Promise<string> | string,
  seconds: [number, number] = [0, 4],
  more: Record<string, unknown> = {},
): Promise<void> {
  let said = "";
  let owner: Owner | null = null;
  const { shell } = world.habits;
  const [tool, argument] = shell.length === 1 ? shell[0]! : world.random.pick(shell);
  await call(
    world,
    session,
    tool,
    (id) => {
      owner = ownerOf(session, id);
      said = command(owner);
      return { [argument]: said, description: "Run it", ...more };
    },
    async () => {
      const stdout = (await run(owner!)).trimEnd();
      return {
        content: stdout,
        structured: { stdout, stderr: "", interrupted: false, isImage: false, noOutputExpected: false },
      };
    },
    seconds,
  );
  tell(world, `  Bash ${said.split("\n", 1)[0]}`);
}

/** A notebook as stored: cells of lines, each a separate string. */
export function notebookLines(cells: readonly (readonly string[])[], make: (text: string) => Line): Line[] {
  const texts = ["{", ' "cells": ['];
  cells.forEach((cell, i) => {
    texts.push("  {", '   "cell_type": "code",', '   "metadata": {},', '   "source": [');
    cell.forEach((line, j) => {
      const isLast = j === cell.length - 1;
      texts.push(`    ${JSON.stringify(isLast ? line : `${line}\n`)}${isLast ? "" : ","}`);
    });
    texts.push("   ]", `  }${i === cells.length - 1 ? "" : ","}`);
  });
  return [...texts, " ],", ' "nbformat": 4,', ' "nbformat_minor": 5', "}"].map(make);
}

/** Adds a cell at the end of a notebook, or creates the notebook. */
export async function notebookEdit(
  world: World,
  session: AgentSession,
  path: string,
  cell: readonly string[],
): Promise<void> {
  const before = session.checkout.files.get(path)!;
  const notebookPath = absolute(session, path);
  let lines: readonly Line[] = before;
  const source = cell.join("\n");
  await call(
    world,
    session,
    "NotebookEdit",
    (id) => {
      const owner = ownerOf(session, id);
      lines = appendCell(before, cell, owner);
      return { notebook_path: notebookPath, new_source: source, cell_type: "code", edit_mode: "insert" };
    },
    () => {
      save(world, session.checkout, path, lines, { by: session.uid });
      return {
        content: `Inserted cell with ${source}`,
        structured: {
          new_source: source,
          cell_type: "code",
          language: "python",
          edit_mode: "insert",
          cell_id: `cell-${before.length}`,
          error: "",
          notebook_path: notebookPath,
          original_file: textOf(before),
          updated_file: textOf(lines),
        },
      };
    },
  );
  tell(world, `  NotebookEdit ${path}`);
}

function appendCell(lines: readonly Line[], cell: readonly string[], owner: Owner): readonly Line[] {
  const end = lines.findLastIndex(({ text }) => text === " ],");
  const last = lines[end - 1]!;
  const made = notebookLines([cell], (text) => ({ ...last, text })).slice(2, -4);
  const fresh = made.map(({ text }) => newLine(text, owner, "notebook cell"));
  return [...lines.slice(0, end - 1), { ...last, text: "  }," }, ...fresh, ...lines.slice(end)];
}
