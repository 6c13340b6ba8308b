import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Project } from "../../src/base/paths.ts";
import { replaceChunks } from "../../src/store/memory/chunks/chunks.ts";
import { saveNote } from "../../src/store/memory/chunks/notes.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { saveTurn } from "../../src/store/memory/sessions/turns.ts";
import { addSession, chunk, deciding, turn } from "./memory-fixture.ts";
import { namedProject } from "./named-project.ts";

/** A project on the branch `retries`, with a note and with a decision of the session `earlier` about `src/a.ts`. */
export function toldProject(root: string): Project {
  mkdirSync(join(root, ".git"), { recursive: true });
  writeFileSync(join(root, ".git", "HEAD"), "ref: refs/heads/retries\n");
  mkdirSync(join(root, "src"));
  writeFileSync(join(root, "src", "a.ts"), "");
  const project = namedProject(root);
  changeMemory(project, (memory) => {
    const at = Date.now() - 3_600_000;
    const { id } = addSession(memory, "earlier", { branch: "retries", startedAt: at, lastAt: at, cwd: root });
    const files = ["src/a.ts"];
    const touched = files.map((path) => ({ path, how: "edit" as const }));
    saveTurn(memory, id, turn(1, { startedAt: at, endedAt: at, prompt: "retry", files: touched }));
    const text = "We decided to retry three times instead of once.";
    const made = { session: "earlier", startedAt: at, endedAt: at, branch: "retries", files };
    replaceChunks(memory, id, { type: "raw", from: 0 }, [chunk(0, text, { ...made, ...deciding(text) })]);
    addNote(memory, "releases are cut on Fridays");
  });
  return project;
}

export function addNote(memory: Memory, note: string): void {
  saveNote(memory, {
    uid: note.replaceAll(" ", "-"),
    sessionUid: null,
    turn: null,
    lineUid: null,
    source: "shell",
    branch: null,
    note,
    author: null,
    at: Date.now(),
  });
}

/** Changes a project's memory, as another process does. */
export function changeMemory(project: Project, change: (memory: Memory) => void): void {
  mkdirSync(dirname(project.memoryDb), { recursive: true });
  const memory = Memory.open(project.memoryDb, { readonly: false });
  change(memory);
  memory.close();
}
