import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changeUndefended } from "../../test/support/undefended.ts";
import { readFileId } from "../base/files/file-id.ts";
import { type KnownCheckout, type KnownProject, Registry } from "./registry.ts";
import { Sqlite } from "./sqlite/sqlite.ts";

let dir: string;
let dataDir: string;
let file: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-registry-")));
  dataDir = join(dir, "share", "pommel");
  file = join(dataDir, "registry.db");
});
afterEach(() => {
  Registry.close(file);
  rmSync(dir, { recursive: true, force: true });
});

const project = (id: string, more: Partial<KnownProject> = {}): KnownProject => ({
  id,
  name: id,
  roots: [],
  remotes: [],
  within: "",
  isNamed: false,
  isOff: false,
  createdAt: 1,
  lastUsedAt: 1,
  ...more,
});
const checkout = (root: string, of: string, more: Partial<KnownCheckout> = {}): KnownCheckout => ({
  root,
  project: of,
  rootId: null,
  gitId: null,
  notice: null,
  lastUsedAt: 1,
  ...more,
});
const registry = () => Registry.open(file);
const ids = () =>
  registry()
    .listRegisteredProjects()
    .map(({ id }) => id);
const identityIn = (id: string) => join(dataDir, "projects", id, "project.json");

/** As another process would do it. */
function change(sql: string): void {
  changeUndefended(file, sql);
}

const known = project("app", {
  roots: ["c0ffee"],
  remotes: ["example.com/app"],
  within: "packages/app",
  isNamed: true,
  isOff: true,
});

describe("the registry", () => {
  it("remembers projects with their checkouts, those used last first", () => {
    expect(registry().listRegisteredProjects()).toEqual([]);
    registry().saveProject(known);
    registry().saveProject(project("b", { lastUsedAt: 2 }));
    const one = checkout("/code/app", "app", { rootId: "1:2:3", gitId: "1:4:5", notice: "said once" });
    registry().saveCheckout(one);
    registry().saveCheckout(checkout("/code/again", "app", { lastUsedAt: 3 }));
    expect(registry().listRegisteredProjects()).toEqual([project("b", { lastUsedAt: 2 }), known]);
    expect(registry().findProjectById("app")).toEqual(known);
    expect(registry().findProjectById("none")).toBeNull();
    expect(registry().findCheckoutAt("/code/app")).toEqual(one);
    expect(
      registry()
        .listCheckouts("app")
        .map(({ root }) => root),
    ).toEqual(["/code/again", "/code/app"]);
    expect(registry().listCheckouts("b")).toEqual([]);
    expect(registry().listCheckouts()).toHaveLength(2);
  });

  it("notes what is used, and a clock that went back makes nothing older", () => {
    registry().saveProject(project("a"));
    registry().saveProject(project("b", { lastUsedAt: 2 }));
    registry().saveCheckout(checkout("/code/a", "a", { lastUsedAt: 9 }));
    registry().saveProject(project("a", { lastUsedAt: 9 }));
    expect(ids()).toEqual(["a", "b"]);
    registry().saveProject(project("a", { lastUsedAt: 5 }));
    registry().saveProject(project("a", { lastUsedAt: 4, createdAt: 4 }));
    expect(registry().findProjectById("a")).toMatchObject({ createdAt: 1, lastUsedAt: 9 });
    expect(registry().findCheckoutAt("/code/a")?.lastUsedAt).toBe(9);
  });

  it("moves a checkout from a project to another, and forgets both", () => {
    for (const id of ["a", "b"]) registry().saveProject(project(id));
    registry().saveCheckout(checkout("/code/x", "a"));
    registry().saveCheckout(checkout("/code/x", "b"));
    expect(registry().listCheckouts("a")).toEqual([]);
    expect(JSON.parse(readFileSync(identityIn("a"), "utf8")).checkouts).toEqual([]);
    expect(JSON.parse(readFileSync(identityIn("b"), "utf8")).checkouts).toEqual(["/code/x"]);
    registry().removeCheckout("/code/x");
    registry().removeCheckout("/code/unknown");
    expect(JSON.parse(readFileSync(identityIn("b"), "utf8")).checkouts).toEqual([]);
    registry().saveCheckout(checkout("/code/x", "b"));
    registry().removeProject("b");
    expect(ids()).toEqual(["a"]);
    expect(registry().listCheckouts()).toEqual([]);
  });

  it("makes several changes or none", () => {
    registry().saveProject(project("a"));
    expect(() =>
      registry().runInTransaction(() => {
        registry().saveProject(project("b"));
        registry().saveCheckout(checkout("/code/x", "nobody's"));
      }),
    ).toThrow(/FOREIGN KEY/);
    expect(ids()).toEqual(["a"]);
  });

  it("is the user's alone", () => {
    registry().saveProject(known);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(statSync(identityIn("app")).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, "projects", "app")).mode & 0o777).toBe(0o700);
  });
});

describe("a registry that is lost or damaged", () => {
  let root: string;
  beforeEach(() => {
    root = join(dir, "app");
    mkdirSync(root);
    registry().saveProject(known);
    registry().saveCheckout(checkout(root, "app", { rootId: readFileId(root), gitId: "1:2:3" }));
  });

  /** All but when it was used, and the git directory. */
  function expectRestored(): void {
    const now = { createdAt: expect.any(Number), lastUsedAt: expect.any(Number) };
    expect(registry().listRegisteredProjects()).toEqual([{ ...known, ...now }]);
    expect(registry().listCheckouts()).toEqual([
      { ...checkout(root, "app", { rootId: readFileId(root) }), lastUsedAt: expect.any(Number) },
    ]);
  }

  it("is made again from what each project says of itself", () => {
    for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
    expectRestored();
  });

  it.each<[string, () => void]>([
    ["no database", () => writeFileSync(file, "this is no database, however long it goes on".repeat(100))],
    ["without its tables", () => change("DROP TABLE checkouts")],
    [
      "a database of somebody else",
      () => {
        rmSync(file);
        change("CREATE TABLE projects (a, b); PRAGMA user_version = 2");
      },
    ],
  ])("is put aside if it is %s", (_, damage) => {
    Registry.close(file);
    damage();
    expectRestored();
    expect(readdirSync(dataDir).filter((name) => name.includes(".damaged-"))).not.toEqual([]);
  });

  it("is made again where the damage shows while it is open, in a transaction too", () => {
    const one = registry();
    for (const table of ["checkouts", "projects"]) {
      change(`DROP TABLE ${table}`);
      one.runInTransaction(() => one.saveCheckout(checkout("/code/b", "app")));
      expect(one.listRegisteredProjects()).toMatchObject([{ id: "app", isNamed: true }]);
      expect(new Set(one.listCheckouts().map((each) => each.root))).toEqual(new Set(["/code/b", root]));
    }
    change("UPDATE projects SET roots = 'no JSON'");
    expect(one.listRegisteredProjects()).toMatchObject([{ id: "app", roots: ["c0ffee"] }]);
    change("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 99 WHERE type = 'index'");
    Registry.close(file);
    expect(registry().listCheckouts()).toHaveLength(2);
  });

  it("takes its projects from beside it where their rows are gone", () => {
    change("DELETE FROM checkouts; DELETE FROM projects");
    Registry.close(file);
    expectRestored();
  });

  it("takes no word of a directory that is none, or that another project names", () => {
    Registry.close(file);
    for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
    const text = readFileSync(identityIn("app"), "utf8");
    for (const [name, content] of [
      ["other", text],
      ["broken", "{"],
      ["odd", JSON.stringify({ id: "odd", name: 7 })],
    ] as const) {
      mkdirSync(join(dataDir, "projects", name));
      writeFileSync(identityIn(name), content);
    }
    mkdirSync(join(dataDir, "projects", "empty"));
    writeFileSync(join(dataDir, "projects", "file"), "");
    expectRestored();
  });
});

describe("a registry that cannot be used", () => {
  it("is as good as none while another process holds it, and whole afterwards", () => {
    registry().saveProject(project("a"));
    Registry.close(file);
    const other = new Sqlite(file, { mode: "create", timeoutMs: 0, key: null });
    other.exec("PRAGMA locking_mode = EXCLUSIVE");
    other.exec("BEGIN EXCLUSIVE");
    expect(Registry.openIfAny(file)).toBeNull();
    expect(() => Registry.open(file)).toThrow(expect.objectContaining({ code: "busy" }));
    other.exec("ROLLBACK");
    other.close();
    registry().saveProject(project("b"));
    expect(ids()).toEqual(["a", "b"]);
  });

  it("is left alone if a newer Pommel wrote it", () => {
    registry().saveProject(project("a"));
    Registry.close(file);
    change("PRAGMA user_version = 9");
    expect(() => Registry.open(file)).toThrow(expect.objectContaining({ code: "index_too_new" }));
    expect(Registry.openIfAny(file)).toBeNull();
    change("PRAGMA user_version = 2");
    expect(ids()).toEqual(["a"]);
  });

  it("is the file that is there now, not one that was removed", () => {
    registry().saveProject(project("a"));
    renameSync(dataDir, `${dataDir}-away`);
    expect(ids()).toEqual([]);
    expect(existsSync(file)).toBe(true);
  });

  it.skipIf(process.getuid?.() === 0)("fails nothing where it cannot be written (not as root)", () => {
    chmodSync(dir, 0o500);
    expect(Registry.openIfAny(file)).toBeNull();
    chmodSync(dir, 0o700);
  });

  it("fails nothing where its directory cannot be made", () => {
    writeFileSync(join(dir, "share"), "");
    expect(Registry.openIfAny(file)).toBeNull();
    expect(Registry.openIfThere(file)).toBeNull();
  });
});
