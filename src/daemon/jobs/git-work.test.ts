import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { rememberSession } from "../../../test/support/checkpoint-fixture.ts";
import { temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { fakeScrubber } from "../../../test/support/memory-work-fixture.ts";
import { newRepository } from "../../../test/support/repository-fixture.ts";
import type { recordCommit } from "../../attribution/checkpoints/record-commit.ts";
import { attributionVersion } from "../../attribution/lines/verdict.ts";
import { makeDefaultConfig } from "../../base/config/settings.ts";
import { silentLog } from "../../base/log.ts";
import { makeNewProject } from "../../base/paths.ts";
import { GitFailure } from "../../git/git.ts";
import type { Scrubber } from "../../redact/scrubber.ts";
import { findCommitByHash, saveCommit } from "../../store/memory/commits/commits.ts";
import { isAtRest, listJobs } from "../../store/memory/jobs/job-rows.ts";
import { claimJob, finish } from "../../store/memory/jobs/jobs.ts";
import { NotYet } from "./do-job.ts";
import { areCommitsAsked, askForCommit, askForCommits, askForHistory, askForLate } from "./git-jobs.ts";
import { GitJobs } from "./git-work.ts";

type GitJobsOptions = ConstructorParameters<typeof GitJobs>[0];

const hash = "a".repeat(40);
const start = Date.UTC(2026, 0, 1);
let stored: ReturnType<typeof temporaryMemory>;
let record: ReturnType<typeof vi.fn<typeof recordCommit>>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: start });
  stored = temporaryMemory();
  record = vi.fn(async () => ({ commit: {} as never, checkpoint: null }));
});

afterEach(() => {
  stored.remove();
  vi.useRealTimers();
});

function jobs(more: Partial<GitJobsOptions> = {}): GitJobs {
  return new GitJobs({
    project: makeNewProject(stored.dir),
    config: makeDefaultConfig(),
    memory: stored.memory,
    scrubber: async () => ({}) as Scrubber,
    roots: () => [stored.dir],
    settled: () => Promise.resolve(),
    log: silentLog,
    record,
    ...more,
  });
}

/** Does the next job that is due. @returns when it was; null: none is */
async function doNext(more: Partial<GitJobsOptions> = {}, signal = new AbortController().signal) {
  const waiting = listJobs(stored.memory, { state: "pending" });
  if (waiting.length === 0) return null;
  vi.setSystemTime(Math.max(Date.now(), Math.min(...waiting.map(({ notBefore }) => notBefore))));
  const job = claimJob(stored.memory, "ours")!;
  await jobs(more).run(job, { signal, progress: () => {} });
  finish(stored.memory, job, { chunks: 0, tookMs: 1 });
  return Date.now() - start;
}

test("a commit is imported once everything seen before it is stored", async () => {
  askForCommit(stored.memory, hash, { seen: "hook", branch: "main", rewrittenFrom: ["b"], at: start });
  const settled = vi.fn(async () => {
    expect(record).not.toHaveBeenCalled();
  });
  expect(await doNext({ settled })).toBe(1000);
  expect(settled).toHaveBeenCalledOnce();
  const [work, ...given] = record.mock.calls[0]!;
  expect(work.roots).toEqual([stored.dir]);
  expect(given.slice(0, 2)).toEqual([
    hash,
    { seen: "hook", branch: "main", rewrittenFrom: ["b"], again: false },
  ]);
  expect(await doNext()).toBe(null);
});

test("a commit is analysed again, in a pause, when messages from before it arrive", async () => {
  const { memory } = stored;
  const known = { tree: "t", parents: [], branch: null, author: "Ann", authoredAt: 0, patchId: null };
  const rest = {
    subject: "",
    rewrittenFrom: [],
    insertions: 0,
    deletions: 0,
    attributed: 1,
    seen: "hook" as const,
  };
  for (const [name, committedAt] of [
    ["a", start - 200_000],
    ["b", start - 50_000],
    ["c", start],
  ] as const) {
    saveCommit(memory, { ...known, ...rest, hash: name.repeat(40), committedAt }, []);
  }
  askForLate(memory, start - 30_000);
  expect(isAtRest(memory)).toBe(true);
  vi.setSystemTime(start + 2000);
  askForLate(memory, start + 15_000);
  const waiting = listJobs(memory).map(({ subject, notBefore }) => [subject[0], notBefore - start]);
  expect(waiting.sort()).toEqual([
    ["b", 4000],
    ["c", 6000],
  ]);
  expect([await doNext(), await doNext(), await doNext()]).toEqual([4000, 6000, null]);
  expect(record.mock.calls.map(([, hash, { again }]) => [hash[0], again])).toEqual([
    ["b", true],
    ["c", true],
  ]);
  // A commit already queued for analysis is not delayed.
  askForCommit(memory, "c".repeat(40), { seen: "hook", at: Date.now() });
  askForLate(memory, start + 15_000);
  expect(listJobs(memory)).toMatchObject([
    { payload: { seen: "hook", again: true }, notBefore: start + 7000 },
  ]);
  // Its report may come only now.
  askForCommit(memory, "c".repeat(40), { seen: "hook", branch: "main", at: Date.now() });
  expect(listJobs(memory)).toMatchObject([{ payload: { seen: "hook", branch: "main", again: true } }]);
  expect(isAtRest(memory)).toBe(false);
  // A long session that was read late.
  for (let n = 0; n < 21; n++) {
    const hash = n.toString(16).padStart(40, "d");
    saveCommit(memory, { ...known, ...rest, hash, committedAt: start + n }, []);
  }
  askForLate(memory, start);
  expect(listJobs(memory).map(({ kind, payload }) => `${kind} ${payload.backfill ?? ""}`)).toEqual([
    "commit ",
    "history true",
  ]);
});

test("reports of a commit are merged, whatever their source", async () => {
  const { memory } = stored;
  askForCommit(memory, hash, { seen: "hook", branch: "main", at: start });
  askForCommit(memory, hash, { seen: "reflog", branch: null, rewrittenFrom: ["b", "c"], at: start + 900 });
  askForCommit(memory, hash, { seen: "hook", rewrittenFrom: ["b"], at: start + 5 });
  expect(listJobs(memory)).toHaveLength(1);
  await doNext();
  expect(record.mock.calls[0]![2]).toEqual({
    seen: "hook",
    branch: "main",
    rewrittenFrom: ["b", "c"],
    again: false,
  });
});

test("does nothing without git, and tries again if git fails", async () => {
  askForCommit(stored.memory, hash, { seen: "hook", at: start });
  record.mockRejectedValueOnce(new GitFailure("not_installed", "git is not installed"));
  await doNext();
  expect(await doNext()).toBe(null);
  askForCommit(stored.memory, hash, { seen: "hook", at: start });
  record.mockRejectedValueOnce(new GitFailure("failed", "out of memory"));
  await expect(doNext()).rejects.toBeInstanceOf(NotYet);
});

test("sessions.capture = false keeps commits out", async () => {
  const config = { ...makeDefaultConfig(), "sessions.capture": false };
  askForCommit(stored.memory, hash, { seen: "hook", at: start });
  askForHistory(stored.memory, { backfill: true });
  const backfill = vi.fn();
  await doNext({ config, backfill });
  await doNext({ config, backfill });
  expect(await doNext()).toBe(null);
  expect(record).not.toHaveBeenCalled();
  expect(backfill).not.toHaveBeenCalled();
});

test("history is scanned on request and when others' commits arrive; an interrupted scan continues", async () => {
  vi.useRealTimers();
  const { dir, commit, git } = newRepository();
  const { memory } = stored;
  const report = { commits: 1, lookedAt: 1, checkpoints: 0, isInterrupted: false };
  const backfill = vi.fn<NonNullable<GitJobsOptions["backfill"]>>(async () => report);
  const scrubber = vi.fn(async () => ({}) as Scrubber);
  const here = { roots: () => [dir], project: makeNewProject(dir), backfill, scrubber };
  commit("one");
  // Without a session, nothing can be found out, and nothing is made ready for it.
  askForHistory(memory, { backfill: true });
  await doNext(here);
  expect(backfill).not.toHaveBeenCalled();
  expect(scrubber).not.toHaveBeenCalled();
  rememberSession(memory, "s", ["make it"]);
  askForHistory(memory, { backfill: true });
  await doNext(here);
  // Those that sessions may have led to, and, once, the latest of those before.
  expect(backfill.mock.calls.map(([, how]) => [how?.all === true, how?.limit])).toEqual([
    [false, undefined],
    [true, 125],
  ]);
  askForHistory(memory, { backfill: true });
  await doNext(here);
  expect(backfill).toHaveBeenCalledTimes(3);
  // One of our own waits for the turn that made it, and needs no look at history.
  git("branch", "others");
  const mine = commit("two");
  askForHistory(memory);
  await doNext(here);
  expect(backfill).toHaveBeenCalledTimes(3);
  expect(listJobs(memory).map(({ kind, subject }) => `${kind} ${subject}`)).toContain(`commit ${mine}`);

  const stop = new AbortController();
  const interrupted = vi.fn(async () => {
    stop.abort();
    return { ...report, isInterrupted: true };
  });
  askForHistory(memory, { backfill: true });
  const job = claimJob(memory, "ours", { kinds: ["history"] })!;
  const run = { signal: stop.signal, progress: () => {} };
  await expect(jobs({ ...here, backfill: interrupted }).run(job, run)).rejects.toThrow();
});

test("commits that somebody asks about are analysed before everything else, together", async () => {
  vi.useRealTimers();
  const { dir, commit } = newRepository();
  const { memory } = stored;
  const [one, two, three] = ["one", "two", "three"].map((name) => commit(name)) as [string, string, string];
  askForCommit(memory, three, { seen: "hook", at: start });
  askForCommits(memory, [one]);
  askForCommits(memory, [two, one]);
  expect(areCommitsAsked(memory)).toBe(true);
  const scrubber = async () => fakeScrubber("none", null);
  await doNext({ roots: () => [dir], project: makeNewProject(dir), scrubber });
  expect(areCommitsAsked(memory)).toBe(false);
  expect(findCommitByHash(memory, one)).toMatchObject({ attributed: attributionVersion, seen: "reflog" });
  expect(findCommitByHash(memory, two)).toMatchObject({ attributed: attributionVersion });
  expect(findCommitByHash(memory, three)).toBeNull();
});
