import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { addSession } from "../../../test/support/memory-fixture.ts";
import { namedProject } from "../../../test/support/named-project.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import type { Project } from "../../base/paths.ts";
import { ensureKeeper } from "../../store/keeper.ts";
import { readUids } from "../../store/memory/backups/backup-content.ts";
import { readMemoryKeeper, readMemoryProject } from "../../store/memory/backups/whose-memory.ts";
import { enqueue } from "../../store/memory/jobs/jobs.ts";
import { Memory } from "../../store/memory/memory.ts";
import { setSyncFact, syncFact } from "../../store/memory/sharing.ts";
import { Registry } from "../../store/registry.ts";
import { Sqlite } from "../../store/sqlite/sqlite.ts";
import { backUpMemory, listBackupsWithContent, previewRestore, restoreBackup } from "./backups.ts";

let home: ReturnType<typeof temporaryHome>;
let ours: Project;
let others: Project;

beforeEach(() => {
  home = temporaryHome();
  ours = projectWith("ours");
  others = projectWith("others");
});
afterEach(() => home.remove());

/** A project whose memory holds a session called like it. */
function projectWith(name: string): Project {
  const root = join(home.dir, name);
  mkdirSync(root);
  const project = namedProject(root);
  const memory = Memory.open(project.memoryDb, { readonly: false });
  addSession(memory, name);
  setSyncFact(memory, "branch", name);
  enqueue(memory, { kind: "transcript", subject: `/of/${name}.jsonl`, payload: {}, priority: 1 });
  memory.close();
  return project;
}

const sessionsIn = (project: Project) => [...readUids(project.memoryDb).sessions];
const usage = (message: RegExp) =>
  expect.objectContaining({ code: "usage", message: expect.stringMatching(message) });

/** A copy in a directory of nobody's. */
function copyOf(project: Project): string {
  const to = join(home.dir, "copy.db");
  backUpMemory(project, { to });
  return to;
}

it("a backup names its project, whoever copies the memory", () => {
  expect(readMemoryProject(copyOf(ours))).toMatchObject({ name: "ours" });
  const byHand = join(home.dir, "by-hand.db");
  copyFileSync(ours.memoryDb, byHand);
  expect(readMemoryProject(byHand)).toMatchObject({ id: ours.id, name: "ours" });
});

it("is restored as it is where it is this project's, wherever it lies", () => {
  const backup = copyOf(ours);
  expect(previewRestore(ours, { backup }).holds).toMatchObject({ sessions: 1 });
  restoreBackup(ours, { backup });
  expect(sessionsIn(ours)).toEqual(["ours"]);
});

it("is this project's on another machine by first commits and remote", () => {
  identify(ours, { roots: ["a1"], remotes: ["example.com/it"] });
  const backup = copyOf(ours);
  identify(others, { roots: ["a1"], remotes: ["example.com/fork"] });
  expect(() => restoreBackup(others, { backup })).toThrow(
    usage(/is of the project "ours", and this is others/),
  );
  identify(others, { roots: ["a1"], remotes: ["example.com/it"] });
  restoreBackup(others, { backup });
  expect(sessionsIn(others)).toEqual(["ours"]);
});

function identify(project: Project, identity: { roots: string[]; remotes: string[] }): void {
  const registry = Registry.open();
  registry.saveProject({ ...registry.findProjectById(project.id)!, ...identity });
  Memory.open(project.memoryDb, { readonly: false }).close();
}

it("another project's is refused, and taken with --as, without what that one shared and had to do", () => {
  const backup = copyOf(others);
  for (const as of [undefined, "others"]) {
    expect(() => previewRestore(ours, { backup, as })).toThrow(usage(/others/));
    expect(() => restoreBackup(ours, { backup, as })).toThrow(usage(/others/));
  }
  expect(sessionsIn(ours)).toEqual(["ours"]);
  restoreBackup(ours, { backup, as: "ours" });
  expect(sessionsIn(ours)).toEqual(["others"]);
  expect(readMemoryProject(ours.memoryDb)).toMatchObject({ name: "ours" });
  const memory = Memory.open(ours.memoryDb, { readonly: true });
  expect(syncFact(memory, "branch")).toBeNull();
  expect(memory.all("SELECT * FROM jobs")).toEqual([]);
  memory.close();
});

it("another person's is refused by name, and taken with --as, without what that person shared", () => {
  const backup = copyOf(ours);
  setMeta(backup, "keeper", JSON.stringify({ home: "0".repeat(32), name: "bob on desk" }));
  for (const restore of [previewRestore, restoreBackup])
    expect(() => restore(ours, { backup })).toThrow(usage(/was kept by "bob on desk", in another home/));
  setMeta(backup, "keeper", null);
  expect(() => restoreBackup(ours, { backup })).toThrow(usage(/does not say who kept it/));
  restoreBackup(ours, { backup, as: "ours" });
  expect(sessionsIn(ours)).toEqual(["ours"]);
  const memory = Memory.open(ours.memoryDb, { readonly: true });
  expect(syncFact(memory, "branch")).toBeNull();
  memory.close();
  expect(readMemoryKeeper(ours.memoryDb)).toEqual(ensureKeeper());
});

it("one that says nothing of a project is refused as well, except among this project's own", () => {
  const backup = copyOf(ours);
  unname(backup);
  expect(() => restoreBackup(ours, { backup })).toThrow(usage(/does not say which project it is of/));
  restoreBackup(ours, { backup, as: "ours" });
  backUpMemory(ours, {});
  const [listed] = listBackupsWithContent(ours);
  unname(listed!.file);
  restoreBackup(ours, { backup: listed!.file });
});

const unname = (file: string) => setMeta(file, "project", null);

/** Of a memory that no Pommel opens, which would name it anew. */
function setMeta(file: string, key: string, value: string | null): void {
  const db = new Sqlite(file, { mode: "write", timeoutMs: 0 });
  db.prepare("DELETE FROM meta WHERE key = ?").run(key);
  if (value !== null) db.prepare("INSERT INTO meta (key, value) VALUES (?, ?)").run(key, value);
  db.close();
}
