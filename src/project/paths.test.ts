import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { projectAt } from "./paths.ts";

let dir: string;
let main: string;

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-paths-")));
  main = join(dir, "main");
  git(dir, "init", "-q", "main");
  git(main, "commit", "-q", "--allow-empty", "-m", "one");
  initialise(main);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function git(cwd: string, ...args: string[]): void {
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd, stdio: "pipe" });
}

function initialise(root: string): void {
  mkdirSync(join(root, ".pommel"), { recursive: true });
  writeFileSync(join(root, ".pommel", "config.toml"), "");
}

const memoryOf = (root: string) => relative(dir, projectAt(root).memoryDb);

describe("the memory of a project", () => {
  it("is its own, with git and without", () => {
    expect(memoryOf(main)).toBe("main/.pommel/memory.db");
    expect(memoryOf(join(dir, "nowhere"))).toBe("nowhere/.pommel/memory.db");
  });

  it("is shared with linked worktrees, and nothing else is", () => {
    git(main, "worktree", "add", "-q", "../linked");
    expect(memoryOf(join(dir, "linked"))).toBe("main/.pommel/memory.db");
    const { stateDir, indexDb } = projectAt(join(dir, "linked"));
    expect([stateDir, indexDb].map((path) => relative(dir, path))).toEqual([
      "linked/.pommel",
      "linked/.pommel/index.db",
    ]);
  });

  it("is shared when git names its directories by relative paths", () => {
    git(main, "worktree", "add", "-q", "../linked");
    const gitFile = join(dir, "linked", ".git");
    const absolute = readFileSync(gitFile, "utf8").replace("gitdir: ", "").trim();
    writeFileSync(gitFile, `gitdir: ${relative(join(dir, "linked"), absolute)}\n`);
    expect(memoryOf(join(dir, "linked"))).toBe("main/.pommel/memory.db");
  });

  it("is a linked worktree's own while the main one is no project", () => {
    git(main, "worktree", "add", "-q", "../linked");
    rmSync(join(main, ".pommel"), { recursive: true });
    expect(memoryOf(join(dir, "linked"))).toBe("linked/.pommel/memory.db");
  });

  it("is a worktree's own when its repository is bare", () => {
    git(dir, "clone", "-q", "--bare", "main", "bare.git");
    git(join(dir, "bare.git"), "worktree", "add", "-q", "../linked");
    initialise(dir);
    expect(memoryOf(join(dir, "linked"))).toBe("linked/.pommel/memory.db");
  });

  it("is a submodule's own", () => {
    git(dir, "init", "-q", "library");
    git(join(dir, "library"), "commit", "-q", "--allow-empty", "-m", "one");
    git(main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", join(dir, "library"), "sub");
    expect(readFileSync(join(main, "sub", ".git"), "utf8")).toContain("gitdir:");
    expect(memoryOf(join(main, "sub"))).toBe("main/sub/.pommel/memory.db");
  });

  it("is its own when `.git` is a file that leads nowhere", () => {
    const root = join(dir, "odd");
    mkdirSync(root);
    for (const text of ["", "gitdir: ../gone\n", "gitdir: \n"]) {
      writeFileSync(join(root, ".git"), text);
      expect(memoryOf(root)).toBe("odd/.pommel/memory.db");
    }
  });
});
