import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { namedProject } from "../../../test/support/named-project.ts";
import { type TestRepository, temporaryGit } from "../../../test/support/repository-fixture.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { makeProject } from "../../base/paths.ts";
import { Registry } from "../../store/registry.ts";
import { isCwdInProject, listProjectRoots } from "./roots.ts";

let home: ReturnType<typeof temporaryHome>;
let repository: TestRepository & { remove(): void };
let root: string;
beforeEach(() => {
  home = temporaryHome();
  repository = temporaryGit();
  root = repository.dir;
});
afterEach(() => {
  repository.remove();
  home.remove();
});

const directory = (...path: string[]) => {
  const dir = join(...path);
  mkdirSync(dir, { recursive: true });
  return dir;
};

it("project roots include linked worktrees, but not the repository above a subdirectory", async () => {
  expect(await listProjectRoots(directory(home.dir, "plain"))).toEqual([join(home.dir, "plain")]);
  repository.commit("first");
  const linked = join(home.dir, "linked");
  repository.git("worktree", "add", "--quiet", linked);
  expect(await listProjectRoots(root)).toEqual([root, linked]);
  expect(await listProjectRoots(linked)).toEqual([linked, root]);
  const inside = directory(root, "packages/a");
  expect(await listProjectRoots(inside)).toEqual([inside]);
});

it("project roots include its other checkouts, those that are gone as well", async () => {
  const { id } = namedProject(root);
  const gone = join(home.dir, "gone");
  Registry.open().saveCheckout({
    root: gone,
    project: id,
    rootId: null,
    gitId: null,
    notice: null,
    lastUsedAt: 1,
  });
  expect(await listProjectRoots(root)).toEqual([root, gone]);
  expect(await listProjectRoots(makeProject(id, gone).root)).toEqual([gone, root]);
});

it("assigns a session to a project by its launch directory", () => {
  const inside = directory(root, "vendor/other");
  namedProject(inside);
  const repositoryInside = directory(root, "vendor/third");
  directory(repositoryInside, ".git");
  directory(root, "src");
  symlinkSync(root, join(home.dir, "link"));
  const ours = (cwd: string) => isCwdInProject([root], cwd);
  expect([root, join(root, "src"), join(root, "gone/now"), `${root}/`].map(ours)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect([home.dir, `${root}-2`, "/", "relative"].map(ours)).toEqual([false, false, false, false]);
  expect(ours(join(home.dir, "link/src"))).toBe(true);
  expect([inside, repositoryInside].map(ours)).toEqual([false, false]);
  const elsewhere = [".", "src", "C:\\Users\\ada\\acme", "\\\\wsl.localhost\\u\\home", "D:/data", "~/x", ""];
  // Whatever resolves a relative path, resolves it against this.
  expect(elsewhere.filter((cwd) => isCwdInProject([process.cwd()], cwd))).toEqual([]);
  expect(isCwdInProject([root, inside], inside)).toBe(true);
});
