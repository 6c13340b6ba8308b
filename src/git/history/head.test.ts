import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { askForBranch, readCurrentBranch } from "./head.ts";

let dir: string;
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: dir });
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-branch-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it("branchAtHand reads the same branch from the HEAD file as git reports", async () => {
  expect(await readCurrentBranch(dir)).toBeNull();
  git("init", "-q", "-b", "feature/retries");
  mkdirSync(join(dir, "below"));
  expect(await readCurrentBranch(join(dir, "below"))).toBe("feature/retries");
  expect(await askForBranch(dir)).toBe("feature/retries");
  git("commit", "-q", "--allow-empty", "-m", "first");
  git("worktree", "add", "-q", "-b", "other", join(dir, "linked"));
  expect(await readCurrentBranch(join(dir, "linked"))).toBe("other");
  git("checkout", "-q", "--detach");
  expect(await readCurrentBranch(dir)).toBeNull();
});

it("branchAtHand asks git where the HEAD file names no branch", async () => {
  git("init", "-q", "-b", "main");
  writeFileSync(join(dir, ".git", "HEAD"), "ref: refs/heads/.invalid\n");
  expect(await readCurrentBranch(dir)).toBe(await askForBranch(dir));
});
