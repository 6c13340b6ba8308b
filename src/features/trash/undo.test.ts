import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { statesOf } from "../../../test/support/every-step.ts";
import { addSession, turn } from "../../../test/support/memory-fixture.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { listProjects } from "../../answers/known-projects.ts";
import { run } from "../../answers/run.ts";
import { trashProjects } from "../../answers/trash-projects.ts";
import { locateOwnConfig } from "../../base/home.ts";
import { makeNewProject, type Project } from "../../base/paths.ts";
import { rememberProject } from "../../git/projects/find-project.ts";
import { daysInTrash } from "../../protocol/days-in-trash.ts";
import { decryptHome, encryptHome } from "../../store/encryption/convert.ts";
import { listPlainFiles } from "../../store/encryption/home-files.ts";
import { forgetKeys } from "../../store/encryption/keys.ts";
import { readUids } from "../../store/memory/backups/backup-content.ts";
import { makeBackup } from "../../store/memory/backups/backups.ts";
import { locateBackupFolder } from "../../store/memory/backups/copies.ts";
import { emptyTrash } from "../../store/memory/backups/put-in-place.ts";
import { replaceMemory } from "../../store/memory/backups/restore.ts";
import { Memory } from "../../store/memory/memory.ts";
import { packContent } from "../../store/memory/sessions/content.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { Registry } from "../../store/registry.ts";
import { listTrash, locateTrash } from "../../store/trash/trash.ts";
import { forget } from "../forget/operation.ts";
import { joinProject } from "../projects/known-projects.ts";
import { listTrashFor, undo } from "./undo.ts";

let home: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  home = temporaryHome();
});
afterEach(() => home.remove());

async function known(name: string): Promise<Project> {
  const root = join(home.dir, "code", name);
  mkdirSync(root, { recursive: true });
  const project = makeNewProject(root);
  await rememberProject(project);
  remember(project, name);
  return project;
}

function remember({ memoryDb }: Project, session: string): void {
  const memory = Memory.open(memoryDb, { readonly: false });
  const entries = [
    { kind: "prompt" as const, text: `about ${session}: why is the heron cache cold?`, images: 0 },
  ];
  const content = packContent([{ uid: `${session}-1`, seq: 1, at: 1000, entries }]);
  const title = { text: `What ${session} was called`, source: "prompt" as const };
  const { id } = addSession(memory, session, { startedAt: 1000, lastAt: 1500, title });
  saveTurn(memory, id, turn(1, { content }));
  memory.close();
}

const sessionsIn = ({ memoryDb }: Project) => [...readUids(memoryDb).sessions].sort().join();
const forgotten = ({ id }: Project) => trashProjects([id], "pm projects forget", id);
const backup = (project: Project) =>
  makeBackup(project.memoryDb, { folder: locateBackupFolder(project.memoryDb, ""), reason: "manual" });
const dayMs = 86_400_000;

describe("a forgotten project", () => {
  it("comes back with its memory, its backups and its checkouts", async () => {
    const one = await known("one");
    backup(one);
    const before = [Registry.open().findProjectById(one.id), Registry.open().listCheckouts(one.id)];
    const entry = forgotten(one);
    expect([existsSync(one.dataDir), listProjects()]).toEqual([false, []]);
    expect([locateTrash(), entry.dir].map((dir) => statSync(dir).mode & 0o777)).toEqual([0o700, 0o700]);
    expect(await undo(entry.number)).toMatchObject({ undone: { number: entry.number }, replaced: null });
    expect([Registry.open().findProjectById(one.id), Registry.open().listCheckouts(one.id)]).toEqual(before);
    expect(sessionsIn(one)).toBe("one");
    expect(readdirSync(join(one.dataDir, "backups"))).toHaveLength(1);
    expect(listTrash()).toEqual([]);
  });

  it("changes places with what is remembered there by now, and back", async () => {
    const one = await known("one");
    const first = forgotten(one);
    await rememberProject(one);
    remember(one, "new");
    const { replaced } = await undo(first.number);
    expect(sessionsIn(one)).toBe("one");
    expect(replaced).toMatchObject({ command: "pm memory undo" });
    await undo(replaced!.number);
    expect(sessionsIn(one)).toBe("new");
    expect(listTrash()).toHaveLength(1);
  });

  it("is moved through no link", async () => {
    const one = await known("one");
    const elsewhere = join(home.dir, "elsewhere");
    renameSync(one.dataDir, elsewhere);
    symlinkSync(elsewhere, one.dataDir);
    expect(() => forgotten(one)).toThrow(expect.objectContaining({ code: "unreadable" }));
    expect(existsSync(join(elsewhere, "memory.db"))).toBe(true);
    expect([listTrash(), listProjects().length]).toEqual([[], 1]);
  });

  it("is never lost, wherever forgetting or bringing it back is killed", async () => {
    const one = await known("one");
    Registry.close();
    const own = process.env.POMMEL_HOME!;
    const forget = statesOf(own, () => void forgotten(one));
    const [entry] = listTrash();
    Registry.close();
    let brought: Promise<unknown> | undefined;
    const back = statesOf(own, () => {
      brought = undo(entry!.number);
    });
    await brought;
    expect(sessionsIn(one)).toBe("one");
    expect(forget.length + back.length).toBeGreaterThan(8);
    for (const state of [...forget, ...back]) {
      process.env.POMMEL_HOME = state;
      for (const { number } of listTrash()) await undo(number);
      const { id } = one;
      expect(sessionsIn({ ...one, memoryDb: join(state, "data", "projects", id, "memory.db") })).toBe("one");
      expect(listProjects().map((project) => project.id)).toEqual([id]);
      Registry.close();
      rmSync(state, { recursive: true });
    }
    process.env.POMMEL_HOME = own;
  });
});

it("a project that was joined to another comes back beside it", async () => {
  const [one, two] = [await known("one"), await known("two")];
  const entry = await joinProject(one, two);
  expect(sessionsIn(two)).toBe("one,two");
  await undo(entry!.number);
  expect(sessionsIn(one)).toBe("one");
  expect(Registry.open().findCheckoutAt(one.root)?.project).toBe(one.id);
  expect(listProjects()).toHaveLength(2);
});

it("a restore is undone, step by step, and nothing is lost", async () => {
  const one = await known("one");
  const { file: early } = backup(one);
  remember(one, "two");
  const { file: later } = backup(one);
  remember(one, "three");
  replaceMemory(one.memoryDb, later);
  replaceMemory(one.memoryDb, early);
  const here = { project: one.id, cwd: one.root };
  const latest = () => listTrashFor(here).find(({ command }) => command !== "pm memory undo")!;
  expect(sessionsIn(one)).toBe("one");
  await undo(latest().number);
  expect(sessionsIn(one)).toBe("one,two");
  await undo(latest().number);
  expect(sessionsIn(one)).toBe("one,three,two");
  expect(listTrashFor(here).map(({ command, is_here }) => [command, is_here])).toEqual([
    ["pm memory undo", true],
    ["pm memory undo", true],
  ]);
  expect(listTrashFor({ project: "other", cwd: "/" }).map(({ is_here }) => is_here)).toEqual([false, false]);
});

it("a forgotten session comes back by the operation, and is found again", async () => {
  const one = await known("one");
  const { trash } = await run(forget, one, { session: "one" });
  expect(trash).toMatchObject({ command: "pm memory forget", what: "1 session, 1 turn" });
  expect(sessionsIn(one)).toBe("");
  await undo(trash!.number);
  expect(sessionsIn(one)).toBe("one");
  const memory = Memory.open(one.memoryDb, { readonly: true });
  expect(findSessionByUid(memory, "one")?.title).toBe("What one was called");
  memory.close();
  await expect(undo(trash!.number)).rejects.toMatchObject({ code: "not_found" });
});

it("what is in the trash goes after its time, and with it the older backups of what was forgotten", async () => {
  const one = await known("one");
  remember(one, "two");
  backup(one);
  await run(forget, one, { session: "two" });
  const [entry] = listTrash();
  const day = (days: number) => entry!.at + days * dayMs;
  expect(emptyTrash(day(daysInTrash - 1))).toEqual([]);
  expect(readdirSync(join(one.dataDir, "backups"))).toHaveLength(1);
  expect(emptyTrash(day(daysInTrash + 1))).toEqual([entry!.number]);
  expect(readdirSync(join(one.dataDir, "backups"))).toEqual([]);
  expect([readdirSync(locateTrash()), sessionsIn(one)]).toEqual([[], "one"]);
});

it("in an encrypted home nothing in the trash is plain", async () => {
  const [one, two] = [await known("one"), await known("two")];
  const options = { backups: [] };
  await run(forget, one, { session: "one" });
  replaceMemory(one.memoryDb, backup(one).file);
  forgotten(two);
  expect(listPlainFiles(options).filter((file) => file.startsWith(locateTrash()))).toHaveLength(3);
  encryptHome(`file:${join(home.dir, "our.key")}`, options);
  expect(listPlainFiles(options)).toEqual([]);
  const rows = listTrash().at(-1)!;
  expect(readFileSync(join(rows.dir, "rows.jsonl"), "latin1")).not.toContain("about one");
  remember(one, "later");
  await run(forget, one, { session: "later" });
  expect(listPlainFiles(options)).toEqual([]);
  for (const { number } of listTrash()) await undo(number);
  expect([sessionsIn(one), sessionsIn(two)]).toEqual(["one", "two"]);
  decryptHome(options);
  forgetKeys();
  expect(listPlainFiles(options).filter((file) => file.startsWith(locateTrash())).length).toBeGreaterThan(0);
});

it("keeps nothing for good where that is asked for", async () => {
  const one = await known("one");
  mkdirSync(join(home.dir, "config"), { recursive: true });
  writeFileSync(locateOwnConfig(), "");
  backup(one);
  expect(await run(forget, one, { session: "one", for_good: true })).toMatchObject({ trash: null });
  expect([listTrash(), readdirSync(join(one.dataDir, "backups"))]).toEqual([[], []]);
});
