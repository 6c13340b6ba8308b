import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  byComment,
  type Repository,
  rememberSession,
  temporaryRepository,
} from "../../../test/support/checkpoint-fixture.ts";
import { GitFailure } from "../../git/git.ts";
import { listCheckpoints } from "../../store/memory/commits/checkpoints.ts";
import { findCommitByHash, readAttributedVersions } from "../../store/memory/commits/commits.ts";
import { backfill } from "./backfill.ts";
import { makeCheckpointUid } from "./commit-facts.ts";
import { findNearestCheckpointBefore } from "./link.ts";
import { recordCommit } from "./record-commit.ts";

let repo: Repository;
beforeEach(() => {
  repo = temporaryRepository();
});
afterEach(() => repo.remove());

const dayMinutes = 24 * 60;

/** Subjects of the checkpoints' commits, each with that of the one before it. */
function chain(): Record<string, string | null> {
  const all = listCheckpoints(repo.memory);
  const subjects = new Map(all.map(({ uid, commit }) => [uid, commit.subject]));
  return Object.fromEntries(
    all.map(({ commit, parentUid }) => [commit.subject, parentUid && subjects.get(parentUid)!]),
  );
}

/** A history with a merge: a, (b, c | d, e), merge, f; checkpoints but for b and the merge. */
function branched(): void {
  rememberSession(repo.memory, "s", ["go"]);
  repo.commit("a", { "a.ts": "a // s:1\n" });
  repo.git("checkout", "--quiet", "-b", "topic");
  repo.commit("d", { "d.ts": "d // s:1\n" });
  repo.commit("e", { "e.ts": "e // s:1\n" });
  repo.git("checkout", "--quiet", "main");
  repo.commit("b", { "b.ts": "b\n" });
  repo.commit("c", { "c.ts": "c // s:1\n" });
  repo.git("merge", "--quiet", "--no-edit", "topic");
  repo.commit("f", { "f.ts": "f // s:1\n" });
}
const ofBranched = { a: null, c: "a", d: "a", e: "d", f: "c" };

it("covers commits since a day before the first session, once", async () => {
  repo.commit("long ago", { "old.ts": "x // s:1\n" });
  repo.wait(10 * dayMinutes);
  const before = repo.commit("by hand", { "a.ts": "1\n" });
  rememberSession(repo.memory, "s", ["go"], { at: repo.now() + 60_000 });
  repo.wait(5);
  const hash = repo.commit("by s", { "a.ts": "1\n2 // s:1\n" });
  const steps: number[][] = [];
  const onProgress = (...step: number[]) => steps.push(step);
  expect(await backfill(repo.work, { onProgress })).toEqual({
    commits: 2,
    lookedAt: 2,
    checkpoints: 1,
    isInterrupted: false,
  });
  expect(steps).toEqual([
    [1, 2],
    [2, 2],
  ]);
  expect(chain()).toEqual({ "by s": null });
  expect([before, hash].map((commit) => findCommitByHash(repo.memory, commit)?.seen)).toEqual([
    "reflog",
    "reflog",
  ]);
  expect(await backfill(repo.work)).toMatchObject({ commits: 2, lookedAt: 0, checkpoints: 0 });
  expect(await backfill(repo.work, { all: true })).toMatchObject({ commits: 3, lookedAt: 1 });
  expect(await backfill(repo.work, { since: repo.now(), limit: 1 })).toMatchObject({ commits: 1 });
});

it("checks commits again that may belong to sessions imported later", async () => {
  rememberSession(repo.memory, "s", ["go"]);
  repo.commit("before", { "a.ts": "1\n" });
  repo.wait(60);
  const at = repo.now();
  repo.wait(60);
  repo.commit("after", { "b.ts": "1 // late:1\n" });
  await backfill(repo.work);
  expect(chain()).toEqual({});
  rememberSession(repo.memory, "late", ["go on"], { at });
  expect(await backfill(repo.work)).toMatchObject({ lookedAt: 1, checkpoints: 1 });
  expect(chain()).toEqual({ after: null });
  expect(await backfill(repo.work)).toMatchObject({ lookedAt: 0 });
});

it("does nothing without sessions, unless all of history is requested", async () => {
  repo.commit("a", { "a.ts": "1\n" });
  expect(await backfill(repo.work)).toMatchObject({ commits: 0, lookedAt: 0 });
  expect(await backfill(repo.work, { all: true })).toMatchObject({ commits: 1, lookedAt: 1 });
});

it("continues after a stop, and orders checkpoints meanwhile", async () => {
  branched();
  const controller = new AbortController();
  let looked = 0;
  repo.work.attribute = async (...given) => {
    if (++looked === 4) controller.abort();
    return byComment(...given);
  };
  const first = await backfill(repo.work, { signal: controller.signal });
  expect(first).toMatchObject({ commits: 7, lookedAt: 3, isInterrupted: true });
  expect(chain()).not.toEqual({});
  expect(ofBranched).toMatchObject(chain());
  const second = await backfill(repo.work);
  expect(second).toMatchObject({ commits: 7, lookedAt: 4, isInterrupted: false });
  expect(chain()).toEqual(ofBranched);
});

it("checks commits again, after a stop, that later sessions may have led to", async () => {
  branched();
  const stop = new AbortController();
  const onProgress = (done: number) => done === 3 && stop.abort();
  await backfill(repo.work, { signal: stop.signal, onProgress });
  rememberSession(repo.memory, "late", ["go on"], { at: repo.now() - 3_600_000 });
  expect(await backfill(repo.work)).toMatchObject({ lookedAt: 7, isInterrupted: false });
  expect(await backfill(repo.work)).toMatchObject({ lookedAt: 0 });
});

it("links checkpoints alike, in any order", async () => {
  branched();
  const hashes = repo.git("rev-list", "--all").split("\n");
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(hashes, { minLength: hashes.length }), async (order) => {
      repo.memory.prepare("DELETE FROM commits").run();
      for (const hash of order) await recordCommit(repo.work, hash, { seen: "history" });
      expect(chain()).toEqual(ofBranched);
    }),
    { numRuns: 4 },
  );
});

it("searches beyond the first parents when they lead to no checkpoint", async () => {
  rememberSession(repo.memory, "s", ["go"]);
  repo.commit("a", { "a.ts": "a\n" });
  for (const name of ["one", "two"]) {
    repo.git("checkout", "--quiet", "-b", name, "main");
    repo.commit(name, { [`${name}.ts`]: "x // s:1\n" });
    repo.git("checkout", "--quiet", "main");
    repo.wait(1);
    repo.git("merge", "--quiet", "--no-ff", "--no-edit", name);
  }
  repo.commit("last", { "b.ts": "x // s:1\n" });
  await backfill(repo.work);
  expect(chain()).toEqual({ one: null, two: "one", last: "two" });
});

it("includes branches, tags and worktrees, but no branch that shares sessions", async () => {
  rememberSession(repo.memory, "s", ["go"]);
  const base = repo.commit("base");
  const make = (name: string) => {
    repo.git("checkout", "--quiet", "--detach", base);
    return repo.commit(name, { [`${name}.ts`]: "x // s:1\n" });
  };
  repo.git("tag", "-a", "-m", "v1", "v1", make("tagged"));
  repo.git("tag", "a-file", repo.git("rev-parse", "v1:tagged.ts"));
  repo.git("update-ref", "refs/remotes/origin/theirs", make("remote"));
  repo.git("update-ref", "refs/heads/pommel/memory/v1", make("shared"));
  repo.git("update-ref", "refs/remotes/origin/pommel/memory/v1", make("shared too"));
  repo.git("update-ref", "refs/heads/entire/checkpoints/v1", make("another tool's"));
  const linked = realpathSync(mkdtempSync(join(tmpdir(), "pommel-linked-")));
  repo.git("worktree", "add", "--quiet", "--detach", linked, make("elsewhere"));
  repo.git("checkout", "--quiet", "main");
  await backfill(repo.work);
  expect(Object.keys(chain()).sort()).toEqual(["elsewhere", "remote", "tagged"]);
  rmSync(linked, { recursive: true });
});

describe("in an incomplete repository", () => {
  it("does nothing before the first commit", async () => {
    expect(await backfill(repo.work, { all: true })).toMatchObject({ commits: 0, lookedAt: 0 });
  });

  it("fails without git", async () => {
    rmSync(join(repo.root, ".git"), { recursive: true });
    await expect(backfill(repo.work, { all: true })).rejects.toThrow(GitFailure);
  });

  it("includes the commits of a shallow clone", async () => {
    rememberSession(repo.memory, "s", ["go"]);
    for (const n of [1, 2, 3]) repo.commit(`${n}`, { "a.ts": `${n} // s:1\n` });
    const clone = realpathSync(mkdtempSync(join(tmpdir(), "pommel-shallow-")));
    execFileSync("git", ["clone", "--quiet", "--depth=2", `file://${repo.root}`, clone], { stdio: "pipe" });
    const work = { ...repo.work, roots: [clone], project: { ...repo.work.project, root: clone } };
    expect(await backfill(work)).toMatchObject({ commits: 2, lookedAt: 2 });
    // The changes of the oldest one are unknown.
    expect(chain()).toEqual({ 3: null });
    rmSync(clone, { recursive: true });
  });

  it("records the commits of a partial clone without their changes", async () => {
    rememberSession(repo.memory, "s", ["go"]);
    for (const n of [1, 2, 3]) repo.commit(`${n}`, { "a.ts": `${n} // s:1\n` });
    repo.git("config", "uploadpack.allowFilter", "true");
    const clone = realpathSync(mkdtempSync(join(tmpdir(), "pommel-partial-")));
    const args = ["clone", "--quiet", "--bare", "--filter=blob:none", `file://${repo.root}`, clone];
    execFileSync("git", args, { stdio: "pipe" });
    const work = { ...repo.work, roots: [clone], project: { ...repo.work.project, root: clone } };
    expect(await backfill(work)).toMatchObject({ commits: 3, lookedAt: 3, checkpoints: 0 });
    const hash = repo.git("rev-parse", "HEAD");
    expect(readAttributedVersions(repo.memory, [hash])).toEqual(new Map([[hash, 0]]));
    // With the objects in place, it is analysed again.
    expect(await backfill(repo.work)).toMatchObject({ lookedAt: 3, checkpoints: 3 });
    rmSync(clone, { recursive: true });
  });
});

it("changes nothing when too little history was read", () => {
  const graph = new Map([
    ["c", { place: 0, parents: ["b"] }],
    ["b", { place: 1, parents: ["a"] }],
  ]);
  expect(findNearestCheckpointBefore(graph, "c", (hash) => hash === "a")).toBe("a");
  expect(findNearestCheckpointBefore(graph, "c", () => false)).toBeUndefined();
  expect(findNearestCheckpointBefore(graph, "x", () => false)).toBeUndefined();
  graph.set("a", { place: 2, parents: [] });
  expect(findNearestCheckpointBefore(graph, "c", () => false)).toBeNull();
});

it("uses the same ids as other machines", () => {
  // printf 'pommel checkpoint 111...' | sha256sum
  expect(makeCheckpointUid("1".repeat(40))).toBe("770d6943cbf3");
});
