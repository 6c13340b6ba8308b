import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { newRepository } from "../../../test/support/repository-fixture.ts";
import { GitWatch } from "./git-events.ts";

let watch: GitWatch | null = null;
afterEach(() => watch?.close());

test("notices a commit in any worktree, without hooks, and each once", () => {
  const { dir, commit, git } = newRepository();
  commit("one");
  const linked = join(mkdtempSync(join(tmpdir(), "pommel-linked-")), "tree");
  git("worktree", "add", "--quiet", linked);
  const onHeadChanged = vi.fn();
  let roots = [dir, linked, tmpdir()];
  watch = new GitWatch({ roots: () => roots, onHeadChanged });
  watch.begin();
  const times = () => {
    watch!.look();
    return onHeadChanged.mock.calls.length;
  };
  expect([times(), times()]).toEqual([0, 0]);
  commit("two");
  expect([times(), times()]).toEqual([1, 1]);
  git("-C", linked, "commit", "--quiet", "--allow-empty", "-m", "three");
  expect([times(), times()]).toEqual([2, 2]);
  // A rebase is checked when it is over.
  mkdirSync(join(dir, ".git/rebase-merge"));
  commit("four");
  expect(times()).toBe(2);
  rmSync(join(dir, ".git/rebase-merge"), { recursive: true });
  expect([times(), times()]).toEqual([3, 3]);
  // A subdirectory of the repository is its own project, and a worktree may appear.
  mkdirSync(join(dir, "sub"));
  roots = [join(dir, "sub")];
  expect([times(), times()]).toEqual([4, 4]);
});
