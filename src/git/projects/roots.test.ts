import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { belongsTo, projectRoots } from "./project-roots.ts";

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-roots-")));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-C", cwd, "-c", "user.name=n", "-c", "user.email=e", ...args], { stdio: "ignore" });

function project(path: string): string {
  mkdirSync(join(path, ".pommel"), { recursive: true });
  writeFileSync(join(path, ".pommel/config.toml"), "");
  return path;
}

it("project roots include linked worktrees, but not the repository above a subdirectory", async () => {
  const root = project(join(dir, "repo"));
  expect(await projectRoots(root)).toEqual([root]);
  git(dir, "init", "--quiet", root);
  git(root, "commit", "--quiet", "--allow-empty", "-m", "first");
  const linked = join(dir, "linked");
  git(root, "worktree", "add", "--quiet", linked);
  expect(await projectRoots(root)).toEqual([root, linked]);
  expect(await projectRoots(linked)).toEqual([linked, root]);
  const inside = project(join(root, "packages/a"));
  expect(await projectRoots(inside)).toEqual([inside]);
});

it("assigns a session to a project by its launch directory", () => {
  const root = project(join(dir, "repo"));
  const inside = project(join(root, "vendor/other"));
  mkdirSync(join(root, "src"));
  symlinkSync(root, join(dir, "link"));
  const ours = (cwd: string) => belongsTo([root], cwd);
  expect([root, join(root, "src"), join(root, "gone/now"), `${root}/`].map(ours)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect([dir, `${root}-2`, "/", "relative"].map(ours)).toEqual([false, false, false, false]);
  expect(ours(join(dir, "link/src"))).toBe(true);
  expect(ours(inside)).toBe(false);
  const elsewhere = [".", "src", "C:\\Users\\ada\\acme", "\\\\wsl.localhost\\u\\home", "D:/data", "~/x", ""];
  // Whatever resolves a relative path, resolves it against this.
  expect(elsewhere.filter((cwd) => belongsTo([process.cwd()], cwd))).toEqual([]);
  expect(belongsTo([root, inside], inside)).toBe(true);
});
