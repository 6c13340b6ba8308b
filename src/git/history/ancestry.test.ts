import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryGit } from "../../../test/support/repository-fixture.ts";
import { Ancestry, type CommitFate, Lineage } from "./ancestry.ts";

const on = (more: Partial<CommitFate> = {}): CommitFate => ({
  reach: "head",
  branches: [],
  revertedBy: null,
  ...more,
});
const stateOf = async (dir: string, hash: string) => (await new Ancestry(dir).findFates([hash])).get(hash);

test("commit state: distinguishes HEAD's history, other branches, unreachable and unknown commits", async () => {
  const { dir, git, commit } = temporaryGit();
  const root = commit("Root");
  git("checkout", "--quiet", "-b", "feat/x");
  const side = commit("Side");
  git("branch", "also");
  const tip = commit("Tip");
  git("checkout", "--quiet", "-b", "dropped", "main");
  const dropped = commit("Dropped");
  git("checkout", "--quiet", "main");
  git("branch", "--quiet", "-D", "dropped");
  const head = commit("Head");
  const gone = "1".repeat(40);
  const states = await new Ancestry(dir).findFates([root, side, tip, dropped, head, gone, "--all", head]);
  expect(Object.fromEntries(states)).toEqual({
    [root]: on(),
    [head]: on(),
    [side]: on({ reach: "elsewhere", branches: ["also", "feat/x"] }),
    [tip]: on({ reach: "elsewhere", branches: ["feat/x"] }),
    [dropped]: on({ reach: "elsewhere" }),
    [gone]: on({ reach: "gone" }),
    "--all": on({ reach: "gone" }),
  });
});

test("commit state: names at most three branches, including a remote's, but not its HEAD", async () => {
  const origin = temporaryGit();
  const root = origin.commit("Root");
  origin.git("checkout", "--quiet", "-b", "topic");
  const topic = origin.commit("Topic");
  for (const name of ["u", "v", "w"]) origin.git("branch", name);
  const clone = temporaryGit();
  clone.git("remote", "add", "origin", origin.dir);
  clone.git("fetch", "--quiet", "origin");
  clone.git("remote", "set-head", "origin", "topic");
  clone.git("reset", "--quiet", "--hard", root);
  expect(await stateOf(clone.dir, topic)).toEqual(
    on({ reach: "elsewhere", branches: ["origin/topic", "origin/u", "origin/v"] }),
  );
});

test("commit state: a revert counts while it is not reverted itself, and only in HEAD's history", async () => {
  const { dir, git, commit, later } = temporaryGit();
  const base = commit("Base");
  const change = commit("Change", { "a.txt": "1" });
  expect(await stateOf(dir, change)).toEqual(on());
  const revert = later("revert", "--no-edit", change);
  expect(await stateOf(dir, change)).toEqual(on({ revertedBy: revert }));
  // Alone, of a commit and those that replaced it; also of one that is older than the first that was asked about.
  const ancestry = new Ancestry(dir);
  expect(await ancestry.findRevert([revert], Date.now())).toBeNull();
  expect(await ancestry.findRevert([base, change], Date.parse("2000-01-01"))).toBe(revert);
  const again = later("revert", "--no-edit", revert);
  expect(await stateOf(dir, change)).toEqual(on());
  expect(await stateOf(dir, revert)).toEqual(on({ revertedBy: again }));
  expect(await ancestry.findRevert([base, change], Date.parse("2000-01-01"))).toBeNull();
  const third = later("revert", "--no-edit", again);
  expect(await stateOf(dir, change)).toEqual(on({ revertedBy: revert }));
  expect(await stateOf(dir, again)).toEqual(on({ revertedBy: third }));
  git("checkout", "--quiet", change);
  expect(await stateOf(dir, change)).toEqual(on());
  expect(await stateOf(dir, revert)).toMatchObject({ reach: "elsewhere", branches: ["main"] });
  git("checkout", "--quiet", base);
  expect(await stateOf(dir, change)).toMatchObject({ reach: "elsewhere", revertedBy: null });
});

test("commit state: ignores partial quotes of a revert message and circular reverts", async () => {
  const { dir, commit } = temporaryGit();
  const one = commit("One");
  commit("This reverts commit abc\n\nThis reverts commit zzzzzzzzzz.");
  expect(await stateOf(dir, one)).toEqual(on());
  const short = commit(`Back\n\nThis reverts commit ${one.slice(0, 9)}, and more.`);
  expect(await stateOf(dir, one)).toEqual(on({ revertedBy: short }));
});

test("commit state: is cached until HEAD moves", async () => {
  const { dir, git, commit } = temporaryGit();
  const root = commit("Root");
  const tip = commit("Tip");
  const ancestry = new Ancestry(dir);
  const reach = async () => (await ancestry.findFates([tip])).get(tip)?.reach;
  expect(await reach()).toBe("head");
  git("reset", "--quiet", "--hard", root);
  expect(await reach()).toBe("elsewhere");
  git("merge", "--quiet", "--ff-only", tip);
  git("pack-refs", "--all");
  expect(await reach()).toBe("head");
  git("checkout", "--quiet", "--detach", root);
  expect(await reach()).toBe("elsewhere");
});

test("commit state: an unknown commit is looked up again later", async () => {
  const { dir, git, commit } = temporaryGit();
  commit("Root");
  let now = 0;
  const ancestry = new Ancestry(dir, () => now);
  const other = temporaryGit();
  const foreign = other.commit("Foreign", { "x.txt": "x" });
  expect((await ancestry.findFates([foreign])).get(foreign)?.reach).toBe("gone");
  git("fetch", "--quiet", other.dir, "main:theirs");
  now = 61_000;
  expect((await ancestry.findFates([foreign])).get(foreign)).toMatchObject({
    reach: "elsewhere",
    branches: ["theirs"],
  });
});

test("commit state: is elsewhere on an unborn branch, and absent without git", async () => {
  const { dir, git, commit } = temporaryGit();
  const root = commit("Root");
  git("checkout", "--quiet", "--orphan", "fresh");
  expect(await stateOf(dir, root)).toEqual(on({ reach: "elsewhere", branches: ["main"] }));
  const plain = mkdtempSync(join(tmpdir(), "pommel-plain-"));
  expect(await new Ancestry(plain).findFates([root])).toEqual(new Map());
});

test("commit state: uses a worktree's own HEAD, also in subdirectories and with SHA-256", async () => {
  const { dir, git, commit } = temporaryGit(undefined, ["--object-format=sha256"]);
  const root = commit("Root", { "sub/a.txt": "1" });
  const tip = commit("Tip");
  expect(await stateOf(join(dir, "sub"), tip)).toEqual(on());
  const worktree = join(mkdtempSync(join(tmpdir(), "pommel-tree-")), "w");
  git("worktree", "add", "--quiet", "--detach", worktree, root);
  expect(await stateOf(worktree, tip)).toEqual(on({ reach: "elsewhere", branches: ["main"] }));
  expect(await stateOf(worktree, root)).toEqual(on());
});

test("commit state: an aborted lookup rejects with the signal's reason", async () => {
  const { dir, commit } = temporaryGit();
  const root = commit("Root");
  const ancestry = new Ancestry(dir);
  await expect(ancestry.findFates([root], AbortSignal.abort())).rejects.toThrow(/abort/i);
  expect((await ancestry.findFates([root])).get(root)).toEqual(on());
});

test("lineage: agrees with git about who comes before whom", async () => {
  const { dir, git, commit } = temporaryGit();
  const hashes = [commit("Root")];
  git("checkout", "--quiet", "-b", "side");
  hashes.push(commit("Side 1"), commit("Side 2"));
  git("checkout", "--quiet", "main");
  hashes.push(commit("Main 1"));
  git("merge", "--quiet", "--no-ff", "-m", "Merge", "side");
  hashes.push(git("rev-parse", "HEAD").trim(), commit("After"));
  git("checkout", "--quiet", "-b", "other", hashes[1]!);
  hashes.push(commit("Other"));
  const lineage = (await Lineage.load(dir, [hashes[5]!, hashes[6]!]))!;
  for (const tip of hashes) {
    const before = new Set(git("rev-list", tip).trim().split("\n"));
    expect(lineage.findAncestorsAmong(tip, hashes)).toEqual(
      new Set(hashes.filter((hash) => before.has(hash))),
    );
  }
  expect(lineage.findAncestorsAmong("1".repeat(40), hashes)).toBeNull();
  expect(lineage.findAncestorsAmong(hashes[5]!, ["1".repeat(40), hashes[6]!])).toEqual(new Set());
  expect((await Lineage.load(dir, []))!.findAncestorsAmong(hashes[0]!, hashes)).toBeNull();
});
