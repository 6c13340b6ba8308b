import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { GitFailure, readGitText } from "../git.ts";
import { type Commit, findCommitHashes, isShallow, listCommits, readHeadCommit } from "./history.ts";

function newRepository() {
  const dir = mkdtempSync(join(tmpdir(), "pommel-history-"));
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", dir, "-c", "user.name=Ann", "-c", "user.email=a@b.c", ...args], {
      encoding: "utf8",
      stdio: "pipe",
    }).trim();
  git("init", "--quiet", "--initial-branch=main");
  const commit = (message: string, files: Record<string, string | null>) => {
    for (const [path, text] of Object.entries(files)) {
      const file = join(dir, path);
      mkdirSync(dirname(file), { recursive: true });
      if (text === null) rmSync(file);
      else writeFileSync(file, text);
    }
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "--message", message);
    return git("rev-parse", "HEAD");
  };
  return { dir, git, commit };
}

async function all(dir: string, limit = 100): Promise<Commit[]> {
  const commits: Commit[] = [];
  for await (const commit of listCommits(dir, { limit })) commits.push(commit);
  return commits;
}

test("commits come newest first, with message and files, whatever their names", async () => {
  const { dir, commit } = newRepository();
  const first = commit("First: ünïcode\n\nA body\nof two lines", { "a b.ts": "1", "sub/ü\n.ts": "1" });
  commit("Empty", {});
  const third = commit("Third", { "a b.ts": null, "c.ts": "1" });
  const commits = await all(dir);
  expect(commits.map(({ message, files }) => [message, files])).toEqual([
    ["Third", ["a b.ts", "c.ts"]],
    ["First: ünïcode\n\nA body\nof two lines", ["a b.ts", "sub/ü\n.ts"]],
  ]);
  expect(commits[0]).toMatchObject({ hash: third, author: "Ann" });
  expect(commits[1]!.hash).toBe(first);
  expect(await readHeadCommit(dir)).toBe(third);
  expect((await all(dir, 1)).map(({ message }) => message)).toEqual(["Third"]);
});

test("commits below a directory have paths relative to it and omit other commits", async () => {
  const { dir, commit } = newRepository();
  commit("Both", { "a.ts": "1", "sub/b.ts": "1" });
  commit("Outside", { "a.ts": "2" });
  expect((await all(join(dir, "sub"))).map(({ message, files }) => [message, files])).toEqual([
    ["Both", ["b.ts"]],
  ]);
});

test("commits exclude merges", async () => {
  const { dir, git, commit } = newRepository();
  commit("Root", { "a.ts": "1" });
  git("checkout", "--quiet", "-b", "side");
  commit("Side", { "b.ts": "1" });
  git("checkout", "--quiet", "main");
  commit("Main", { "c.ts": "1" });
  git("merge", "--quiet", "--no-edit", "side");
  expect((await all(dir)).map(({ message }) => message).sort()).toEqual(["Main", "Root", "Side"]);
});

test("isShallow distinguishes a shallow clone from a full one", async () => {
  const { dir, commit } = newRepository();
  commit("One", { "a.ts": "1" });
  commit("Two", { "a.ts": "2" });
  const clone = mkdtempSync(join(tmpdir(), "pommel-clone-"));
  execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${dir}`, clone], { stdio: "pipe" });
  expect(await isShallow(dir)).toBe(false);
  expect(await isShallow(clone)).toBe(true);
});

test("commits fail with a reason without a repository, a commit or git", async () => {
  const dir = mkdtempSync(join(tmpdir(), "pommel-nogit-"));
  await expect(all(dir)).rejects.toMatchObject({ name: "GitFailure", reason: "no_repository" });
  expect(await readHeadCommit(dir)).toBe(null);
  const { dir: unborn } = newRepository();
  await expect(all(unborn)).rejects.toBeInstanceOf(GitFailure);
  const path = process.env.PATH;
  process.env.PATH = dir;
  try {
    await expect(readGitText(dir, ["version"])).rejects.toMatchObject({ reason: "not_installed" });
  } finally {
    process.env.PATH = path;
  }
});

test("commits come from the given directory despite a git hook's environment", async () => {
  const { dir, commit } = newRepository();
  const head = commit("Mine", { "a.ts": "1" });
  const other = newRepository();
  other.commit("Other", { "a.ts": "1" });
  process.env.GIT_DIR = join(other.dir, ".git");
  try {
    expect(await readHeadCommit(dir)).toBe(head);
  } finally {
    delete process.env.GIT_DIR;
  }
});

test("stopping the iteration ends git", async () => {
  const { dir, commit } = newRepository();
  for (let i = 0; i < 3; i++) commit(`Number ${i}`, { "a.ts": String(i) });
  for await (const { message } of listCommits(dir, { limit: 100 })) {
    expect(message).toBe("Number 2");
    break;
  }
});

test("names of commits are told from what only looks like one", async () => {
  const { dir, git, commit } = newRepository();
  const hash = commit("One", { "a.ts": "1" });
  const blob = git("rev-parse", "HEAD:a.ts");
  const named = await findCommitHashes(dir, [hash.slice(0, 8), "0123456789", blob, hash]);
  expect([...named]).toEqual([
    [hash.slice(0, 8), hash],
    [hash, hash],
  ]);
  expect((await findCommitHashes(tmpdir(), [hash])).size).toBe(0);
});
