import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PommelError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import { findNextDueAt, listJobs } from "../../store/memory/jobs/job-rows.ts";
import { claimJob, enqueue } from "../../store/memory/jobs/jobs.ts";
import { Memory } from "../../store/memory/memory.ts";
import type { JobRecord } from "../../store/memory/memory-records.ts";
import { doNextJob, type JobRun, NotYet, type QueueOptions } from "./do-job.ts";
import { JobWorker } from "./job-worker.ts";
import { RwLock } from "./rw-lock.ts";

let dir: string;
let memory: Memory;
const workers: JobWorker[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-worker-"));
  memory = Memory.open(join(dir, "memory.db"), { readonly: false });
});

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
  memory.close();
  rmSync(dir, { recursive: true, force: true });
});

const add = (subject: string, priority = 100) => enqueue(memory, { kind: "transcript", subject, priority });
const states = () => listJobs(memory).map(({ subject, state }) => `${subject} ${state}`);

function workerOf(
  run: (job: JobRecord, run: JobRun) => Promise<number>,
  more: { lock?: RwLock; owner?: string; onCorrupt?: (error: unknown) => void } = {},
): JobWorker {
  const { lock = new RwLock(), owner = "ours", onCorrupt = () => {} } = more;
  const queue: QueueOptions = {
    memory,
    owner,
    run,
    kinds: ["transcript", "scrub"],
    isAlive: (other) => other === "alive",
    inTurn: (_, leave, work) => lock.runShared(leave, work),
    log: silentLog,
  };
  const worker = new JobWorker({
    next: (signal) => doNextJob(queue, signal),
    nextDue: () => findNextDueAt(memory),
    onCorrupt,
    log: silentLog,
    pauseMs: 1,
  });
  workers.push(worker);
  return worker;
}

/** Resolves as soon as the run is left. */
const left = ({ signal }: JobRun) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test("does the jobs one after the other, the most urgent first", async () => {
  for (const [subject, priority] of [
    ["late", 200],
    ["first", 10],
    ["second", 20],
  ] as const)
    add(subject, priority);
  const done: string[] = [];
  workerOf(async ({ subject }) => done.push(subject)).wake();
  await vi.waitFor(() => expect(states()).toEqual([]), 60_000);
  expect(done).toEqual(["first", "second", "late"]);
});

test("interrupts a job for a more urgent one, and continues it afterwards", async () => {
  add("long", 100);
  const begun: string[] = [];
  let isLeft = false;
  const worker = workerOf(async ({ subject }, run) => {
    begun.push(subject);
    if (subject !== "long" || isLeft) return 0;
    isLeft = true;
    add("urgent", 10);
    const aborted = left(run);
    run.progress(5, 10);
    return aborted;
  });
  worker.wake();
  await vi.waitFor(() => expect(states()).toEqual([]), 60_000);
  expect(begun).toEqual(["long", "urgent", "long"]);
});

test("looks for jobs without waiting for a transaction of whoever does one", async () => {
  add("theirs");
  claimJob(memory, "alive");
  const writing = Memory.open(join(dir, "memory.db"), { readonly: false });
  const queue = {
    memory,
    owner: "ours",
    run: async () => 0,
    kinds: ["transcript"],
    isAlive: (other: string) => other === "alive",
    log: silentLog,
  } satisfies QueueOptions;
  try {
    const found = writing.runInTransaction(() => {
      writing.setMeta("test", "");
      return doNextJob(queue, new AbortController().signal);
    });
    expect(await found).toBe(false);
  } finally {
    writing.close();
  }
});

test("puts the job at hand back when it stops, as if it had not been begun", async () => {
  add("long");
  const worker = workerOf((_, run) => left(run));
  worker.wake();
  await vi.waitFor(() => expect(states()).toEqual(["long running"]), 60_000);
  await worker.close();
  expect(listJobs(memory)).toMatchObject([{ state: "pending", attempts: 0 }]);
});

test("a job that cannot be done yet is tried again; one that never can be fails with the reason", async () => {
  for (const subject of ["absent", "unknown", "broken"]) add(subject);
  const worker = workerOf(async ({ subject }) => {
    if (subject === "absent") throw Object.assign(new Error("not there"), { code: "ENOENT" });
    if (subject === "unknown") throw new NotYet("whose is it?");
    throw new Error("makes no sense");
  });
  worker.wake();
  await vi.waitFor(
    () => expect(states()).toEqual(["absent pending", "unknown pending", "broken dead"]),
    60_000,
  );
  expect(listJobs(memory).map(({ error }) => error)).toEqual(["not there", "whose is it?", "makes no sense"]);
});

test("on a full disk jobs wait with a message, and lose no attempt", async () => {
  add("a");
  add("b");
  let isFull = true;
  let tries = 0;
  const worker = workerOf(async () => {
    tries++;
    if (isFull) throw new PommelError("disk_full", "The disk is full.");
    return 1;
  });
  worker.wake();
  await vi.waitFor(() => expect(tries).toBeGreaterThan(3), 60_000);
  expect(worker.trouble).toBe("The disk is full.");
  expect(listJobs(memory).every(({ attempts }) => attempts <= 1)).toBe(true);
  isFull = false;
  await vi.waitFor(() => expect(states()).toEqual([]), 60_000);
  expect(worker.trouble).toBeNull();
});

test("takes over jobs of processes that are gone, and no others", async () => {
  add("of the dead");
  add("of the living");
  claimJob(memory, "dead");
  claimJob(memory, "alive");
  const done: string[] = [];
  workerOf(async ({ subject }) => done.push(subject)).wake();
  await vi.waitFor(() => expect(states()).toEqual(["of the living running"]), 60_000);
  expect(done).toEqual(["of the dead"]);
});

test("stops at once when the database is damaged", async () => {
  add("a");
  const onCorrupt = vi.fn();
  const damaged = new PommelError("memory_corrupt", "damaged");
  const worker = workerOf(() => Promise.reject(damaged), { onCorrupt });
  worker.wake();
  await vi.waitFor(() => expect(onCorrupt).toHaveBeenCalledWith(damaged), 60_000);
  worker.wake();
  expect(worker.isBusy()).toBe(false);
});

test("who wants the memory alone gets it as soon as the job at hand is left", async () => {
  add("long");
  const lock = new RwLock();
  let isInside = false;
  let begun = 0;
  const worker = workerOf(
    async (_, run) => {
      if (++begun > 1) return 0;
      isInside = true;
      try {
        return await left(run);
      } finally {
        isInside = false;
      }
    },
    { lock },
  );
  worker.wake();
  await vi.waitFor(() => expect(isInside).toBe(true), 60_000);
  await lock.runExclusive(() => expect(isInside).toBe(false));
  worker.wake();
  await vi.waitFor(() => expect(states()).toEqual([]), 60_000);
  expect(begun).toBe(2);
});
