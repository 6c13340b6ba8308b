import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { registeredProjects, registerProject, registryFile, unregisterProjects } from "./registry.ts";
import { Sqlite } from "./sqlite/sqlite.ts";

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-registry-"));
  file = join(dir, "share", "pommel", "registry.db");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const project = (name: string, remote: string | null = null) => ({
  root: `/home/ann/${name}`,
  name,
  remote,
  memoryDb: `/home/ann/${name}/.pommel/memory.db`,
});

const roots = () => registeredProjects(file)?.map(({ root }) => root);

describe("the registry", () => {
  it("remembers projects, the one used last first", () => {
    expect(registeredProjects(file)).toEqual([]);
    registerProject(project("a"), { now: 1, file });
    registerProject(project("b"), { now: 2, file });
    registerProject(project("a", "https://example.com/a.git"), { now: 3, file });
    // A clock that went back makes nothing older.
    registerProject(project("a", "https://example.com/a.git"), { now: 2, file });
    expect(registeredProjects(file)).toEqual([
      { ...project("a", "https://example.com/a.git"), firstUsedAt: 1, lastUsedAt: 3 },
      { ...project("b"), firstUsedAt: 2, lastUsedAt: 2 },
    ]);
    expect(unregisterProjects(["/home/ann/a", "/home/ann/none"], file)).toBe(1);
    expect(roots()).toEqual(["/home/ann/b"]);
  });

  it("is the user's alone, and lies where XDG says", () => {
    registerProject(project("a"), { file });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, "share", "pommel")).mode & 0o777).toBe(0o700);
    expect(registryFile({ XDG_DATA_HOME: "/data" })).toBe("/data/pommel/registry.db");
    expect(registryFile({})).toBe(join(homedir(), ".local/share/pommel/registry.db"));
  });

  it("is created again when it is damaged", () => {
    mkdirSync(join(dir, "share", "pommel"), { recursive: true });
    writeFileSync(file, "this is no database, however long it goes on".repeat(100));
    expect(registerProject(project("a"), { file })).toBe(true);
    expect(roots()).toEqual(["/home/ann/a"]);
    const db = new Sqlite(file, { mode: "create", timeoutMs: 0 });
    db.exec("DROP TABLE projects");
    db.close();
    expect(roots()).toEqual([]);
  });

  it("is as good as empty while another process holds it, and whole afterwards", () => {
    registerProject(project("a"), { file });
    const other = new Sqlite(file, { mode: "create", timeoutMs: 0 });
    other.exec("PRAGMA locking_mode = EXCLUSIVE");
    other.exec("BEGIN EXCLUSIVE");
    expect(registerProject(project("b"), { file })).toBe(false);
    other.exec("ROLLBACK");
    other.close();
    expect(registerProject(project("b"), { file })).toBe(true);
    expect(roots()).toHaveLength(2);
  });

  it("leaves that of a newer version alone", () => {
    registerProject(project("a"), { file });
    const db = new Sqlite(file, { mode: "create", timeoutMs: 0 });
    db.exec("PRAGMA user_version = 9");
    db.close();
    expect(registeredProjects(file)).toBeNull();
    expect(registerProject(project("b"), { file })).toBe(false);
    expect(existsSync(file)).toBe(true);
  });

  it.skipIf(process.getuid?.() === 0)("fails no command where it cannot be written (not as root)", () => {
    chmodSync(dir, 0o500);
    expect(registerProject(project("a"), { file })).toBe(false);
    expect(registeredProjects(file)).toBeNull();
    chmodSync(dir, 0o700);
  });

  it("fails no command where its directory cannot be made", () => {
    writeFileSync(join(dir, "share"), "");
    expect(registerProject(project("a"), { file })).toBe(false);
    expect(registeredProjects(file)).toBeNull();
    expect(unregisterProjects(["/home/ann/a"], file)).toBeNull();
  });
});
