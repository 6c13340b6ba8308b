import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { newRepository } from "../../../test/support/repository-fixture.ts";
import { saveCommit } from "../../store/memory/commits/commits.ts";
import { findNewCommits } from "./new-commits.ts";

let stored: ReturnType<typeof temporaryMemory>;
let repository: ReturnType<typeof newRepository>;

beforeEach(() => {
  stored = temporaryMemory();
  repository = newRepository();
});
afterEach(() => stored.remove());

async function look(roots = [repository.dir]) {
  const found = await findNewCommits(stored.memory, roots);
  found.remember();
  for (const { hash } of found.commits) know(hash);
  const commits = found.commits.map(({ hash, branch, rewrittenFrom }) => ({ hash, branch, rewrittenFrom }));
  return { commits, hasOthers: found.hasOthers };
}

function know(hash: string): void {
  const commit = { hash, tree: "t", parents: [], branch: null, author: "Ann", authoredAt: 0, committedAt: 0 };
  const rest = { subject: "", patchId: null, rewrittenFrom: [], insertions: 0, deletions: 0, attributed: 1 };
  saveCommit(stored.memory, { ...commit, ...rest, seen: "reflog" }, []);
}

test("the root commit of a new repository", async () => {
  expect(await look()).toEqual({ commits: [], hasOthers: false });
  const root = repository.commit("root", { a: "1\n" });
  expect(await look()).toEqual({
    commits: [{ hash: root, branch: "main", rewrittenFrom: [] }],
    hasOthers: false,
  });
});

test("those since the last time, with their branches and the commits that they replaced", async () => {
  const { dir, git, commit } = repository;
  know(commit("one", { a: "1\n" }));
  expect(await look()).toEqual({ commits: [], hasOthers: true });
  expect(await look()).toEqual({ commits: [], hasOthers: false });
  const two = commit("two", { a: "2\n" });
  git("checkout", "--quiet", "-b", "side");
  const three = commit("three", { b: "3\n" });
  git("commit", "--quiet", "--amend", "-m", "amended");
  const amended = git("rev-parse", "HEAD");
  git("checkout", "--quiet", "--detach");
  const detached = commit("four", { c: "4\n" });
  expect(await look()).toEqual({
    commits: [
      { hash: two, branch: "main", rewrittenFrom: [] },
      { hash: three, branch: "side", rewrittenFrom: [] },
      { hash: amended, branch: "side", rewrittenFrom: [three] },
      { hash: detached, branch: null, rewrittenFrom: [] },
    ],
    hasOthers: false,
  });
  const linked = join(mkdtempSync(join(tmpdir(), "pommel-linked-")), "tree");
  git("worktree", "add", "--quiet", "-b", "other", linked, "main");
  await look([dir, linked]);
  const there = newCommitIn(linked);
  expect((await look([dir, linked])).commits).toEqual([{ hash: there, branch: "other", rewrittenFrom: [] }]);
});

function newCommitIn(dir: string): string {
  repository.git("-C", dir, "commit", "--quiet", "--allow-empty", "-m", "there");
  return repository.git("-C", dir, "rev-parse", "HEAD");
}

test("only the result of a rebase, when it is over", async () => {
  const { dir, git, commit } = repository;
  know(commit("root", { a: "1\n" }));
  git("checkout", "--quiet", "-b", "side");
  know(commit("first", { b: "1\n" }));
  know(commit("second", { c: "1\n" }));
  git("checkout", "--quiet", "main");
  know(commit("main", { d: "1\n" }));
  git("checkout", "--quiet", "side");
  await look();
  mkdirSync(join(dir, ".git/rebase-merge"));
  commit("in between");
  expect((await look()).commits).toEqual([]);
  git("reset", "--quiet", "--hard", "HEAD~1");
  rmSync(join(dir, ".git/rebase-merge"), { recursive: true });
  await look();
  process.env.GIT_SEQUENCE_EDITOR = "sed -i -e '2s/pick/fixup/'";
  try {
    git("rebase", "--quiet", "--interactive", "main");
  } finally {
    delete process.env.GIT_SEQUENCE_EDITOR;
  }
  const squashed = git("rev-parse", "HEAD");
  expect(git("rev-list", "--count", "main..HEAD")).toBe("1");
  const { commits } = await look();
  expect(commits).toEqual([{ hash: squashed, branch: "side", rewrittenFrom: [] }]);
});

test("others' commits do not count as new ones of ours, and merges do", async () => {
  const { git, commit } = repository;
  know(commit("root"));
  await look();
  git("checkout", "--quiet", "-b", "theirs");
  git("commit", "--quiet", "--allow-empty", "-m", "theirs");
  const theirs = git("rev-parse", "HEAD");
  git("checkout", "--quiet", "main");
  git("reflog", "expire", "--expire=now", "HEAD");
  git("checkout", "--quiet", "--detach");
  git("checkout", "--quiet", "main");
  await look();
  git("merge", "--quiet", "theirs");
  expect(await look()).toEqual({ commits: [], hasOthers: true });
  know(theirs);
  git("checkout", "--quiet", "-b", "more", "main~1");
  const more = commit("more", { m: "1\n" });
  git("checkout", "--quiet", "main");
  git("merge", "--quiet", "-m", "merged", "more");
  expect((await look()).commits.map(({ hash }) => hash)).toEqual([more, git("rev-parse", "HEAD")]);
});

test("none without a repository or a commit", async () => {
  const nowhere = mkdtempSync(join(tmpdir(), "pommel-nogit-"));
  expect(await look([nowhere])).toEqual({ commits: [], hasOthers: false });
  const bare = newRepository("--bare").dir;
  expect(await look([bare])).toEqual({ commits: [], hasOthers: false });
});
