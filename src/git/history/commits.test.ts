import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { all, newRepository } from "../../../test/support/repository-fixture.ts";
import { computePatchIds, findPlaceInRepository } from "../diff/changes.ts";
import { GitFailure } from "../git.ts";
import { readCommits, readReflog } from "./commits.ts";
import { askForBranch } from "./head.ts";

it("reads commits with all fields, in either order", async () => {
  const { dir, commit, git } = newRepository();
  git("config", "log.showSignature", "true");
  git("config", "i18n.logOutputEncoding", "UTF-16");
  git("config", "color.ui", "always");
  const one = commit("Eins: ü\n\nBody\nof two lines\n\nTrailer: x");
  const two = commit("");
  const commits = await all(readCommits(dir, ["HEAD"]));
  expect(commits.map(({ hash, message, parents }) => [hash, message, parents])).toEqual([
    [two, "", [one]],
    [one, "Eins: ü\n\nBody\nof two lines\n\nTrailer: x", []],
  ]);
  const [time, tree] = git("show", "-s", "--no-color", "--format=%ct %T", "--encoding=UTF-8", one).split(" ");
  expect(commits[1]).toMatchObject({ author: "Ann", authorEmail: "ann@example.org", tree });
  expect(commits[1]!.committedAt).toBe(1000 * Number(time));
  const hashes = async (...args: Parameters<typeof readCommits>) =>
    (await all(readCommits(...args))).map(({ hash }) => hash);
  expect(await hashes(dir, ["HEAD"], { oldestFirst: true })).toEqual([one, two]);
  expect(await hashes(dir, ["HEAD"], { limit: 1 })).toEqual([two]);
  expect(await hashes(dir, [`${one}..HEAD`])).toEqual([two]);
  expect(await hashes(dir, ["HEAD", `^${one}`])).toEqual([two]);
  expect(await hashes(dir, ["--no-walk", one])).toEqual([one]);
  expect(await hashes(dir, ["--no-walk", "--ignore-missing", "f".repeat(40), one])).toEqual([one]);
  expect(await hashes(dir, ["--all", "--until=2000-01-01"])).toEqual([]);
  expect(await hashes(dir, [])).toEqual([]);
});

it("rejects revisions that would be other options of git", async () => {
  const { dir, commit } = newRepository();
  commit("one");
  for (const revision of ["--output=x", "-p", "HEAD\n--all", "absent", "f".repeat(40)]) {
    await expect(all(readCommits(dir, [revision])), revision).rejects.toBeInstanceOf(GitFailure);
  }
});

it("reads the reflog, newest first", async () => {
  const { dir, commit, git } = newRepository();
  await expect(all(readReflog(dir))).rejects.toBeInstanceOf(GitFailure);
  const one = commit("one");
  const two = commit("two");
  git("checkout", "--quiet", "-b", "side", one);
  git("commit", "--quiet", "--amend", "--allow-empty", "-m", "amended");
  const amended = git("rev-parse", "HEAD");
  const entries = await all(readReflog(dir));
  expect(entries.map(({ hash, action }) => [hash, action])).toEqual([
    [amended, "commit (amend): amended"],
    [one, "checkout: moving from main to side"],
    [two, "commit: two"],
    [one, "commit (initial): one"],
  ]);
  expect(entries[0]!.at).toBe(1000 * Number(git("show", "-s", "--format=%ct")));
});

it("patch ids survive rebases and cherry-picks", async () => {
  const { dir, commit, git } = newRepository();
  const text = (lines: string[]) => `${lines.join("\n")}\n`;
  const numbers = Array.from({ length: 30 }, (_, n) => `${n}`);
  const root = commit("root", { "a.ts": text(numbers) });
  git("checkout", "--quiet", "-b", "side");
  const change = commit("change", { "a.ts": text(numbers.with(20, "changed")) });
  const empty = commit("empty");
  git("checkout", "--quiet", "main");
  commit("more", { "a.ts": text(["more", ...numbers]) });
  git("cherry-pick", change);
  const picked = git("rev-parse", "HEAD");
  git("merge", "--quiet", "-m", "merge", "side");
  const merge = git("rev-parse", "HEAD");
  git("config", "diff.noprefix", "true");
  git("config", "diff.context", "9");
  const ids = await computePatchIds(dir, [root, change, empty, picked, merge]);
  expect(ids.get(change)).toMatch(/^[0-9a-f]{40}$/);
  expect(ids.get(picked)).toBe(ids.get(change));
  expect([...ids.keys()].sort()).toEqual([root, change, picked].sort());
  expect(ids.get(root)).not.toBe(ids.get(change));
  expect(await computePatchIds(dir, [])).toEqual(new Map());
  await expect(computePatchIds(mkdtempSync(join(tmpdir(), "pommel-none-")), [root])).rejects.toBeInstanceOf(
    GitFailure,
  );
});

it("finds the current branch, and none when HEAD is detached", async () => {
  const { dir, commit, git } = newRepository();
  expect(await askForBranch(dir)).toBe("main");
  commit("one", { "sub dir/a": "" });
  git("checkout", "--quiet", "-b", "feature/ü");
  expect(await askForBranch(dir)).toBe("feature/ü");
  git("checkout", "--quiet", "--detach");
  expect(await askForBranch(dir)).toBe(null);
  expect(await askForBranch(mkdtempSync(join(tmpdir(), "pommel-none-")))).toBe(null);
});

it("finds a directory's path in its working tree", async () => {
  const { dir, commit } = newRepository();
  commit("one", { "sub dir/a": "" });
  expect(await findPlaceInRepository(dir)).toMatchObject({ prefix: "" });
  expect(await findPlaceInRepository(join(dir, "sub dir"))).toMatchObject({ prefix: "sub dir/" });
});
