import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TestRepository, temporaryGit } from "../../test/support/repository-fixture.ts";
import { locateHome } from "./home.ts";
import {
  findCommonGitDir,
  findMainWorktree,
  makeNewProject,
  makeProject,
  makeUniqueName,
  placeInProject,
} from "./paths.ts";

const home = locateHome({ POMMEL_HOME: "/all" });

describe("the paths of a project", () => {
  it("lie in the home, but for the root and what the team says", () => {
    const { id, root, teamConfigFile, ...others } = makeNewProject("/code/app", home);
    expect(root).toBe("/code/app");
    expect(teamConfigFile).toBe("/code/app/.pommel/config.toml");
    expect(id).toMatch(/^app-[0-9a-f]{12}$/);
    for (const path of Object.values(others)) expect(path).toMatch(/^\/all\/(?:data|cache)\//);
  });

  it("share the memory between checkouts, and not the index", () => {
    const [one, two] = ["/code/one", "/code/two"].map((root) => makeProject("p", root, home));
    expect(one!.memoryDb).toBe(two!.memoryDb);
    expect(one!.configFile).toBe(two!.configFile);
    expect(one!.auditDir).toBe(two!.auditDir);
    expect(one!.indexDb).not.toBe(two!.indexDb);
    expect(one!.lockFile).not.toBe(two!.lockFile);
    expect(one!.setupDir).not.toBe(two!.setupDir);
  });

  it("are the same each time, and another directory's are others", () => {
    expect(makeNewProject("/code/app", home)).toEqual(makeNewProject("/code/app", home));
    expect(makeNewProject("/other/app", home).id).not.toBe(makeNewProject("/code/app", home).id);
  });
});

describe("a directory's name", () => {
  it.each([
    ["/code/app", /^app-[0-9a-f]{12}$/],
    ["/code/my app (old)", /^my-app-old--[0-9a-f]{12}$/],
    ["/code/..hidden", /^hidden-[0-9a-f]{12}$/],
    ["/code/ünïcode", /^n-code-[0-9a-f]{12}$/],
    ["/code/日本語", /^[0-9a-f]{12}$/],
    ["/", /^[0-9a-f]{12}$/],
    [`/code/${"long".repeat(50)}`, /^(?:long){10}-[0-9a-f]{12}$/],
  ])("is safe as a file name: %s", (path, name) => {
    expect(makeUniqueName(path)).toMatch(name);
  });
});

describe("git's shared directory", () => {
  let repository: TestRepository & { remove(): void };
  let main: string;
  let elsewhere: string;
  beforeEach(() => {
    elsewhere = realpathSync(mkdtempSync(join(tmpdir(), "pommel-paths-")));
    repository = temporaryGit();
    main = repository.dir;
    repository.commit("one");
  });
  afterEach(() => {
    repository.remove();
    rmSync(elsewhere, { recursive: true, force: true });
  });

  it("is a repository's own, and none without git", () => {
    expect(findCommonGitDir(main)).toBe(join(main, ".git"));
    expect(findMainWorktree(main)).toBeNull();
    expect(findCommonGitDir(elsewhere)).toBeNull();
    expect(findMainWorktree(elsewhere)).toBeNull();
  });

  it("is that of the main worktree for a linked one, also where git names it by relative paths", () => {
    const linked = join(elsewhere, "linked");
    repository.git("worktree", "add", "-q", linked);
    expect(findCommonGitDir(linked)).toBe(join(main, ".git"));
    expect(findMainWorktree(linked)).toBe(main);
    const gitFile = join(linked, ".git");
    const absolute = readFileSync(gitFile, "utf8").replace("gitdir: ", "").trim();
    writeFileSync(gitFile, `gitdir: ${relative(linked, absolute)}\n`);
    expect(findCommonGitDir(linked)).toBe(join(main, ".git"));
  });

  it("is the repository itself for worktrees of a bare one, which have no main worktree", () => {
    const bare = join(elsewhere, "bare.git");
    repository.git("clone", "-q", "--bare", main, bare);
    const linked = join(elsewhere, "linked");
    repository.git("--git-dir", bare, "worktree", "add", "-q", linked);
    expect(findCommonGitDir(linked)).toBe(bare);
    expect(findMainWorktree(linked)).toBeNull();
  });

  it("is a submodule's own", () => {
    repository.git("submodule", "--quiet", "add", main, "sub");
    const sub = join(main, "sub");
    expect(readFileSync(join(sub, ".git"), "utf8")).toContain("gitdir:");
    expect(findCommonGitDir(sub)).toBe(join(main, ".git/modules/sub"));
    expect(findMainWorktree(sub)).toBeNull();
  });

  it("is none when `.git` is a file that leads nowhere", () => {
    for (const text of ["", "gitdir: ../gone\n", "gitdir: \n"]) {
      writeFileSync(join(elsewhere, ".git"), text);
      expect(findCommonGitDir(elsewhere)).toBeNull();
    }
  });
});

it("says where a directory is in a project, by links as well", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pommel-place-")));
  mkdirSync(join(root, "a/b"), { recursive: true });
  symlinkSync(join(root, "a"), join(root, "link"));
  const placeOf = (dir: string) => placeInProject({ root }, dir);
  expect(["", "a", "a/b", "link/b", "gone/x"].map((dir) => placeOf(join(root, dir)))).toEqual([
    "",
    "a",
    "a/b",
    "a/b",
    "gone/x",
  ]);
  expect([join(root, ".."), `${root}-2`, "/"].map(placeOf)).toEqual(["", "", ""]);
  rmSync(root, { recursive: true });
});
