import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findProject } from "../../src/git/projects/find-project.ts";
import { registryFile } from "../../src/project/home.ts";
import type { Project } from "../../src/project/paths.ts";
import { moveLegacyMemory } from "../../src/queries/projects/legacy.ts";
import { encryptHome } from "../../src/store/encryption/convert.ts";
import { plainFiles } from "../../src/store/encryption/home-files.ts";
import { contentOf } from "../../src/store/memory/backups/backup-content.ts";
import { saveAnnotation } from "../../src/store/memory/chunks/annotations.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { packContent } from "../../src/store/memory/sessions/content.ts";
import { saveTurn } from "../../src/store/memory/sessions/turns.ts";
import { Registry } from "../../src/store/registry.ts";
import { Sqlite } from "../../src/store/sqlite/sqlite.ts";
import { callsIn, countingCalls, killedAtCall, spread } from "../support/calls.ts";
import { addSession, turn } from "../support/memory-fixture.ts";
import { cleanUp, logOf, start } from "./daemon-fixture.ts";
import { callPm, runPm, temporaryDir } from "./run-pm.ts";

/** What an older Pommel left in `.pommel/` of a repository. */

/** What a kill leaves before each call that changes files: see test/faults/power-cut.c. */
const shim = join(temporaryDir(), "power-cut.so");
function canBuildShim(): boolean {
  const source = fileURLToPath(new URL("../faults/power-cut.c", import.meta.url));
  return (
    process.platform === "linux" &&
    spawnSync("cc", ["-shared", "-fPIC", "-O1", "-o", shim, source, "-ldl"]).status === 0
  );
}

let dir: string;
let root: string;
beforeEach(() => {
  dir = temporaryDir("pommel-legacy-");
  root = join(dir, "shop");
});
afterEach(async () => {
  delete process.env.POMMEL_HOME;
  await cleanUp();
});

function git(cwd: string, ...args: string[]): void {
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], {
    cwd,
    stdio: "pipe",
  });
}

function newRepository(at: string): void {
  mkdirSync(at, { recursive: true });
  git(at, "init", "--quiet");
  writeFileSync(join(at, "a.ts"), "export const one = 1;\n");
  git(at, "add", ".");
  git(at, "commit", "--quiet", "-m", "Begin");
}

const monday = Date.parse("2026-01-05T09:00:00Z");

/** As Pommel 0.1.0 kept a project: all in its directory, ignored by git. */
function keepInside(at: string, names: readonly string[]): void {
  const old = join(at, ".pommel");
  mkdirSync(join(old, "backups"), { recursive: true, mode: 0o700 });
  mkdirSync(join(old, "log"));
  mkdirSync(join(old, "spool"));
  const files = {
    ".gitignore": "*\n",
    "config.toml": '[search]\nlimit = 7\n\n[daemon]\nport = 4711\n\n[context]\nmode = "eager"\n',
    "daemon.json": "{}",
    "page-key": "0".repeat(32),
    "log/pommeld.log": "",
    "spool/1-2-3.json": "{}",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(old, name), text);
  const memory = Memory.open(join(old, "memory.db"), { readonly: false });
  for (const [i, name] of names.entries()) {
    const { id } = addSession(memory, `session-${name}`, {
      cwd: at,
      title: { text: `Work on ${name}`, source: "agent" },
      startedAt: monday + i,
      lastAt: monday + i,
    });
    const entries = [{ kind: "prompt" as const, text: `Do ${name}.`, images: 0 }];
    const content = packContent([{ uid: `line-${name}`, seq: 0, at: monday + i, entries }]);
    saveTurn(memory, id, turn(1, { content, startedAt: monday + i, endedAt: monday + i }));
    const note = { note: `note ${name}`, at: monday + i, sessionUid: null, turn: null, lineUid: null };
    saveAnnotation(memory, { uid: `uid-${name}`, ...note, source: "shell", branch: null });
  }
  memory.close();
  cpSync(join(old, "memory.db"), join(old, "backups", "memory-20260105T100211Z-daily.db"));
}

/** The list of projects as version 1 kept it. */
function list(...roots: string[]): void {
  Registry.close();
  mkdirSync(join(registryFile(), ".."), { recursive: true, mode: 0o700 });
  const db = new Sqlite(registryFile(), { mode: "create", timeoutMs: 1000, key: null });
  db.exec(`CREATE TABLE projects (
    root          TEXT PRIMARY KEY,
    name          TEXT NOT NULL,
    remote        TEXT,
    memory_db     TEXT NOT NULL,
    first_used_at INTEGER NOT NULL,
    last_used_at  INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`);
  for (const one of roots)
    db.prepare("INSERT INTO projects VALUES (?, 'shop', NULL, ?, 1, 1)").run(one, `${one}/.pommel/memory.db`);
  db.exec("PRAGMA user_version = 1");
  db.close();
}

const notesIn = async (cwd: string): Promise<string[]> => {
  const { stdout } = await callPm(["memory", "notes", "--json"], { cwd });
  const { annotations, error } = JSON.parse(stdout) as {
    annotations?: { note: string }[];
    error?: { code: string };
  };
  expect(annotations === undefined ? error?.code : "no_memory").toBe("no_memory");
  return (annotations ?? []).map(({ note }) => note).sort();
};
const sessionsIn = async (cwd: string): Promise<string[]> => {
  const { stdout } = await callPm(["session", "list", "--json"], { cwd });
  const { sessions } = JSON.parse(stdout) as { sessions: { id: string }[] };
  return sessions.map(({ id }) => id).sort();
};
const setting = async (cwd: string, key: string) =>
  JSON.parse((await callPm(["config", "get", key, "--json"], { cwd })).stdout).value;
const legacyCheck = async (cwd: string) => {
  const { stdout } = await callPm(["doctor", "--json"], { cwd });
  const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; message: string }[] };
  return checks.find(({ name }) => name === "legacy");
};

describe("a memory that this machine's Pommel kept in the repository", () => {
  beforeEach(() => {
    newRepository(root);
    keepInside(root, ["one", "two"]);
    list(root);
  });

  /** All of it is in the home, and nothing of it in the repository. */
  async function expectMoved(): Promise<void> {
    expect(await notesIn(root)).toEqual(["note one", "note two"]);
    expect(await sessionsIn(root)).toEqual(["session-one", "session-two"]);
    expect(existsSync(join(root, ".pommel"))).toBe(false);
    const { dataDir, memoryDb } = await findProject(root);
    expect(readdirSync(join(dataDir, "backups"))).toContain("memory-20260105T100211Z-daily.db");
    expect(contentOf(memoryDb)).toMatchObject({ sessions: 2, notes: 2 });
    expect(await setting(root, "search.limit")).toBe(7);
    expect(await setting(root, "context.mode")).toBe("eager");
    // It is one for all projects now.
    expect(await setting(root, "daemon.port")).toBe(0);
  }

  it("is moved by the first command, which says so once", async () => {
    expect(await legacyCheck(root)).toMatchObject({
      status: "ok",
      message: expect.stringContaining("moved"),
    });
    const { dataDir } = await findProject(root);
    const said = `Moved 2 sessions and 2 notes from ${join(root, ".pommel")} to ${dataDir}.`;
    const first = await runPm(["memory", "notes"], { cwd: root });
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining(said) });
    expect(first.stdout).toContain("note two");
    await expectMoved();
    const second = await runPm(["memory", "notes"], { cwd: root });
    expect(second).toMatchObject({ code: 0, stdout: first.stdout });
    expect(second.stderr).not.toContain("Moved");
    expect(await moveLegacyMemory(await findProject(root))).toBeNull();
    expect(await legacyCheck(root)).toMatchObject({ status: "ok", message: expect.stringContaining("no ") });
    // It was recorded, and still is.
    const { id } = await findProject(root);
    expect(Registry.open().project(id)?.isNamed).toBe(true);
  });

  it("is moved by the daemon, which says so too", async () => {
    const project = await findProject(root);
    await start(project);
    const first = await callPm(["memory", "notes"], { cwd: root });
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining("Moved 2 sessions and 2 notes") });
    expect(logOf()).toContain("Moved 2 sessions");
    expect((await callPm(["memory", "notes"], { cwd: root })).stderr).not.toContain("Moved");
    await expectMoved();
  });

  it("is moved into an encrypted home with nothing left plain", async () => {
    const nothing = { backups: [] };
    encryptHome(`file:${join(dir, "our.key")}`, nothing);
    await moveLegacyMemory(await findProject(root));
    expect(plainFiles(nothing)).toEqual([]);
    await expectMoved();
  });

  it("keeps what the team committed there", async () => {
    rmSync(join(root, ".pommel/.gitignore"));
    git(root, "add", "--force", ".pommel/config.toml");
    await callPm(["memory", "notes"], { cwd: root });
    expect(readdirSync(join(root, ".pommel"))).toEqual(["config.toml"]);
    expect(await notesIn(root)).toEqual(["note one", "note two"]);
  });

  it("survives kills at five points, and is moved by a later command", async () => {
    const pristine = join(dir, "pristine");
    process.env.POMMEL_HOME = join(dir, "home");
    list(root);
    Registry.close();
    cpSync(root, join(pristine, "shop"), { recursive: true });
    cpSync(process.env.POMMEL_HOME, join(pristine, "home"), { recursive: true });
    const calls = join(dir, "calls");
    await runPm(["memory", "notes"], { cwd: root, env: countingCalls(calls) });
    await expectMoved();
    // Before the memory is put in its place, before the settings are, while the list of projects changes, when half of the old
    // files are gone, and before the last call.
    for (const call of spread(callsIn(calls), 5)) {
      Registry.close();
      for (const name of ["shop", "home"]) {
        rmSync(join(dir, name), { recursive: true, force: true });
        cpSync(join(pristine, name), join(dir, name), { recursive: true });
      }
      const killed = await runPm(["memory", "notes"], { cwd: root, env: killedAtCall(call) });
      expect({ call, signal: killed.signal }).toEqual({ call, signal: "SIGKILL" });
      await expectMoved();
    }
  });

  // It takes minutes: POMMEL_EVERY_CALL=1 runs it.
  it.runIf(process.env.POMMEL_EVERY_CALL === "1" && canBuildShim())(
    "is whole whichever of its file calls a kill precedes",
    async () => {
      process.env.POMMEL_HOME = join(dir, "home");
      list(root);
      Registry.close();
      const states = temporaryDir("pommel-states-");
      const { code } = await runPm(["memory", "notes"], {
        cwd: root,
        env: { LD_PRELOAD: shim, POWER_CUT_DIR: dir, STATES_OF: dir, STATES_TO: states },
      });
      expect(code).toBe(0);
      await expectMoved();
      const all = readdirSync(states)
        .filter((name) => name.endsWith("-kill"))
        .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
      expect(all.length).toBeGreaterThan(10);
      for (const name of all) {
        Registry.close();
        rmSync(dir, { recursive: true });
        renameSync(join(states, name), dir);
        const project: Project = await findProject(root);
        await moveLegacyMemory(project);
        const what = contentOf(project.memoryDb);
        expect({ name, ...what }).toMatchObject({ name, sessions: 2, notes: 2 });
        expect({ name, left: existsSync(join(root, ".pommel")) }).toEqual({ name, left: false });
        expect({ name, settings: readFileSync(project.configFile, "utf8") }).toEqual({
          name,
          settings: expect.stringMatching(/limit = 7[\s\S]*mode = "eager"/),
        });
        expect(readdirSync(join(project.dataDir, "backups"))).toContain("memory-20260105T100211Z-daily.db");
      }
    },
    180_000,
  );
});

describe("a memory in a repository that this machine's Pommel does not know", () => {
  beforeEach(() => {
    newRepository(root);
    keepInside(root, ["one"]);
  });
  const bytes = () => readFileSync(join(root, ".pommel/memory.db"));

  it("is left alone and named, and restore takes it in", async () => {
    const before = bytes();
    expect((await callPm(["note", "mine"], { cwd: root })).code).toBe(0);
    expect(await notesIn(root)).toEqual(["mine"]);
    expect(await legacyCheck(root)).toMatchObject({
      status: "warn",
      message: expect.stringContaining(join(root, ".pommel/memory.db")),
    });
    const project = await findProject(root);
    await start(project);
    expect(await notesIn(root)).toEqual(["mine"]);
    expect(readdirSync(join(root, ".pommel"))).toContain("spool");
    expect(bytes().equals(before)).toBe(true);
    const restored = await callPm(["restore", ".pommel/memory.db", "--yes"], { cwd: root });
    expect(restored).toMatchObject({ code: 0 });
    expect(await notesIn(root)).toEqual(["note one"]);
    expect(bytes().equals(before)).toBe(true);
    expect((await callPm(["restore", "--undo", "--yes"], { cwd: root })).code).toBe(0);
    expect(await notesIn(root)).toEqual(["mine"]);
  });

  it.each([
    ["another project is listed", () => list(join(dir, "elsewhere"))],
    [
      "it was committed",
      () => {
        list(root);
        git(root, "add", "--force", ".pommel/memory.db");
      },
    ],
    [
      "a link is in it",
      () => {
        list(root);
        symlinkSync(dir, join(root, ".pommel/audit"));
      },
    ],
  ])("is left alone where %s", async (_, arrange) => {
    arrange();
    const before = bytes();
    expect(await notesIn(root)).toEqual([]);
    expect(bytes().equals(before)).toBe(true);
    expect(await legacyCheck(root)).toMatchObject({ status: "warn" });
  });
});

it("two clones of a project that had a memory each have one of both", async () => {
  newRepository(root);
  const clone = join(dir, "clone");
  git(dir, "clone", "--quiet", root, clone);
  keepInside(root, ["one", "both"]);
  keepInside(clone, ["two", "both"]);
  writeFileSync(join(clone, ".pommel/config.toml"), "[search]\nlimit = 9\n\n[index]\nexclude = ['old/**']\n");
  for (const at of [root, clone]) {
    mkdirSync(join(at, ".pommel/audit"));
    writeFileSync(join(at, ".pommel/audit/audit.jsonl"), `{"of":"${at}"}\n`);
  }
  list(root, clone);
  expect(await notesIn(root)).toEqual(["note both", "note one"]);
  const all = ["note both", "note one", "note two"];
  expect(await notesIn(clone)).toEqual(all);
  expect(await notesIn(root)).toEqual(all);
  expect(await sessionsIn(root)).toEqual(["session-both", "session-one", "session-two"]);
  const project = await findProject(clone);
  expect((await findProject(root)).id).toBe(project.id);
  for (const at of [root, clone]) expect(existsSync(join(at, ".pommel"))).toBe(false);
  // What the first had set stays.
  expect(await setting(clone, "search.limit")).toBe(7);
  expect(await setting(clone, "index.exclude")).toEqual(["old/**"]);
  const logs = readdirSync(project.auditDir).filter((name) => name.endsWith(".jsonl"));
  expect(logs.map((name) => readFileSync(join(project.auditDir, name), "utf8")).sort()).toEqual(
    [clone, root].map((at) => `{"of":"${at}"}\n`),
  );
});

it("one that is damaged stays where it is, and does not stand in the way", async () => {
  newRepository(root);
  keepInside(root, ["one"]);
  list(root);
  writeFileSync(join(root, ".pommel/memory.db"), "no database ".repeat(1000));
  const { code, stderr } = await callPm(["note", "mine"], { cwd: root });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  expect(readFileSync(join(root, ".pommel/memory.db"), "utf8")).toContain("no database");
  expect(existsSync(join(root, ".pommel/backups/memory-20260105T100211Z-daily.db"))).toBe(true);
  expect(await legacyCheck(root)).toMatchObject({
    status: "warn",
    message: expect.stringContaining("damaged"),
  });
});
