import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { lockHolder } from "../../src/store/sqlite/lock.ts";
import { callPm, homeAt, temporaryDir } from "./run-pm.ts";

let dir: string;
let home: string;
const at = (...path: string[]) => join(dir, ...path);
const pm = (cwd: string, ...args: string[]) => callPm(args, { cwd: at(cwd), env: homeAt(home) });
async function ok(cwd: string, ...args: string[]) {
  const { code, stdout, stderr } = await pm(cwd, ...args, "--json");
  expect({ code, stderr: code === 0 ? "" : stderr + stdout }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

/** Every file below, and what it says; but git's objects and logs. */
function filesIn(root: string): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const own = files.filter((file) => !/\/\.git\/(?:objects|logs|index)/.test(file)).sort();
  return Object.fromEntries(own.map((file) => [file.slice(root.length + 1), readFileSync(file, "utf8")]));
}

const memories = () =>
  readdirSync(join(home, ".local/share/pommel/projects"), { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith("memory.db"),
  );

beforeEach(() => {
  dir = temporaryDir("pommel-uninstall-");
  home = at("home");
  for (const name of ["home", "repo", "plain", "gone"]) mkdirSync(at(name));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: at("repo") });
  git("init", "--quiet");
  writeFileSync(at("repo/.mcp.json"), '{"mcpServers": {}}');
  git("add", ".");
  git("commit", "--quiet", "--message", "one");
  git("worktree", "add", "--quiet", "../linked");
  writeFileSync(join(home, ".claude.json"), '{"numStartups": 3}');
});

describe("pm uninstall", () => {
  it("shows what there is, and leaves no trace of it, in all projects and the home", async () => {
    const before = filesIn(dir);
    await ok("repo", "init", "--yes", "--team", "--start");
    await ok("linked", "init", "--local", "--mcp");
    await ok("plain", "init");
    await ok("gone", "init");
    await ok("repo", "setup", "--yes", "--agent", "claude", "--no-import");
    await ok("repo", "note", "kept for good");
    writeFileSync(at("repo/.gitignore"), "dist\n");
    rmSync(at("gone"), { recursive: true });

    const preview = await ok("plain", "uninstall", "--dry-run");
    const report = (name: string) => preview.projects.find(({ root }: { root: string }) => root === at(name));
    expect(preview.projects).toHaveLength(4);
    expect(report("gone")).toMatchObject({ state: "unreachable" });
    expect(report("plain")).toMatchObject({ state: "to_remove", files: [".claude/settings.local.json"] });
    expect(report("repo").files).toEqual(expect.arrayContaining([".mcp.json", ".git/hooks/"]));
    expect(preview.user.memory_bytes).toBeGreaterThan(0);
    expect(preview.user.files).toContain(".claude/settings.json");
    // This command asks first, but there is no terminal.
    expect(await pm("plain", "uninstall")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--yes"),
    });
    // A linked worktree shares its project's.
    expect(memories()).toHaveLength(3);

    const { code, stdout } = await pm("plain", "uninstall", "--yes", "--for-good");
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("npm uninstall -g pommel"),
    });
    expect(stdout).toMatch(/gone\n {2}not reachable/);
    expect(lockHolder(at("home/.local/state/pommel/daemon.lock"))).toBeNull();
    rmSync(at("repo/.gitignore"));
    const after = filesIn(dir);
    mkdirSync(at("gone"));
    expect(after).toEqual(before);
    expect(await ok("plain", "uninstall", "--yes")).toMatchObject({
      projects: [],
      user: { files: [], directories: [] },
    });
    expect(filesIn(dir)).toEqual(before);
  });

  it("puts the memory into the trash, from which it comes back after a new installation", async () => {
    await ok("repo", "init", "--no-hooks");
    await ok("plain", "init", "--no-hooks");
    await ok("repo", "note", "chose Redis");
    await ok("plain", "note", "chose Postgres");
    const { stdout } = await pm("plain", "uninstall", "--yes");
    expect(stdout).toContain("`pm memory undo` brings it back");
    expect(readdirSync(join(home, ".local/share/pommel"))).toEqual([".gitignore", "trash"]);
    // Used anew before somebody remembers.
    await ok("repo", "note", "noted since");
    expect(await pm("repo", "memory", "undo", "--list")).toMatchObject({
      stdout: expect.stringContaining("pm uninstall"),
    });
    const { replaced } = await ok("repo", "memory", "undo");
    const notes = async (name: string) =>
      (await ok(name, "memory", "notes")).annotations.map(({ note }: { note: string }) => note);
    expect([await notes("repo"), await notes("plain")]).toEqual([["chose Redis"], ["chose Postgres"]]);
    await ok("repo", "memory", "undo", String(replaced.number));
    expect(await notes("repo")).toEqual(["noted since"]);
    await ok("repo", "uninstall", "--yes", "--for-good");
    expect(existsSync(join(home, ".local/share/pommel"))).toBe(false);
  });

  it("leaves backups in another folder, or deletes them for good, and says which", async () => {
    await ok("repo", "init", "--no-hooks");
    await ok("repo", "note", "chose Redis");
    await ok("repo", "config", "set", "backup.folder", at("backups"));
    await ok("repo", "memory", "backup");
    const [folder] = readdirSync(at("backups"));
    const backups = () => readdirSync(at("backups", folder!)).filter((name) => name.endsWith(".db"));
    expect(backups()).toHaveLength(1);
    const listed = async (...options: string[]) => (await pm("repo", "uninstall", ...options)).stdout;
    expect(await listed("--dry-run")).toMatch(/backups in .+ \(these stay\)/);
    expect(await listed("--dry-run", "--for-good")).toMatch(/backups in .+ \(deleted as well\)/);
    await ok("repo", "uninstall", "--yes", "--keep-memory");
    expect(backups()).toHaveLength(1);
    await ok("repo", "config", "set", "backup.folder", at("backups"));
    await ok("repo", "uninstall", "--yes", "--for-good");
    expect(backups()).toEqual([]);
  });

  it("keeps the memory if it is asked to, for a project that comes back", async () => {
    await ok("repo", "init", "--no-hooks");
    await ok("repo", "note", "chose Redis");
    await ok("repo", "uninstall", "--yes", "--keep-memory");
    expect(memories()).toHaveLength(1);
    expect(existsSync(join(home, ".local/state/pommel"))).toBe(false);
    await ok("repo", "init", "--no-hooks");
    expect((await ok("repo", "annotations")).annotations).toEqual([
      expect.objectContaining({ note: "chose Redis" }),
    ]);
  });

  it("keeps keys for as long as something is kept that they can open", async () => {
    const keys = ["keys/another", "sync-key.txt"].map((name) => join(home, ".config/pommel", name));
    await ok("repo", "init", "--no-hooks");
    await ok("repo", "note", "chose Redis");
    mkdirSync(join(home, ".config/pommel/keys"), { recursive: true });
    for (const key of keys) writeFileSync(key, "a key\n");
    await ok("repo", "uninstall", "--yes", "--keep-memory");
    expect(keys.map((key) => existsSync(key))).toEqual([true, true]);
    await ok("repo", "init", "--no-hooks");
    await ok("repo", "uninstall", "--yes");
    expect(keys.map((key) => existsSync(key))).toEqual([true, true]);
    await ok("repo", "uninstall", "--yes", "--for-good");
    expect(keys.map((key) => existsSync(key))).toEqual([false, false]);
  });

  it("goes on after a project that it cannot clear, and says so", async () => {
    await ok("repo", "init");
    await ok("plain", "init");
    writeFileSync(at("repo/.claude/settings.json"), "{ not JSON");
    const { code, stdout, stderr } = await pm("plain", "uninstall", "--yes");
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("not removed") });
    expect(stdout).toContain("run `pm uninstall` again");
    rmSync(at("repo/.claude/settings.json"));
    const again = await ok("plain", "uninstall", "--yes", "--for-good");
    expect(again.projects).toContainEqual(expect.objectContaining({ root: at("repo"), state: "removed" }));
    expect(existsSync(join(home, ".local/share/pommel"))).toBe(false);
  });

  it("says that what is stored is left when a file of the user cannot be cleared", async () => {
    const settings = join(home, ".claude/settings.json");
    await ok("repo", "setup", "--yes", "--agent", "claude", "--no-import");
    writeFileSync(settings, `${readFileSync(settings, "utf8")}}`);
    const { code, stdout } = await pm("repo", "uninstall", "--yes");
    expect({ code, stdout }).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("what Pommel stored"),
    });
    expect(stdout).not.toContain("npm uninstall");
    writeFileSync(settings, "{}");
    expect(await ok("repo", "uninstall", "--yes", "--for-good")).toMatchObject({ user: { error: null } });
    expect(existsSync(join(home, ".local/share/pommel"))).toBe(false);
  });
});
