import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryMemory } from "../../../../test/support/memory-fixture.ts";
import { Memory } from "../memory.ts";
import type { JobRecord } from "../memory-records.ts";
import { listRecentActivity, readQueueFigures } from "../sessions/activity.ts";
import { findNextDueAt, listJobs, listMoreUrgent } from "./job-rows.ts";
import {
  claimJob,
  enqueue,
  fail,
  finish,
  noteProgress,
  putBack,
  recoverJobs,
  removeDead,
  retryDead,
} from "./jobs.ts";

let memory: Memory;
let remove: () => void;

beforeEach(() => {
  ({ memory, remove } = temporaryMemory());
});
afterEach(() => remove());

const add = (subject: string, more: Partial<Parameters<typeof enqueue>[1]> = {}, now = 0) =>
  enqueue(memory, { kind: "transcript", subject, ...more }, now);
const take = (now = 0, owner = "one") => claimJob(memory, owner, { now });
const states = () => listJobs(memory).map(({ subject, state }) => `${subject} ${state}`);

describe("the queue", () => {
  it("gives out the most urgent first, and of those the oldest", () => {
    add("a", { priority: 5 });
    add("b", { priority: 1, payload: { at: "b" }, total: 7 });
    add("c", { priority: 5 });
    expect(take()).toMatchObject({ subject: "b", payload: { at: "b" }, total: 7, attempts: 1, owner: "one" });
    expect([take(), take(), take()].map((job) => job?.subject)).toEqual(["a", "c", undefined]);
  });

  it("lets a job wait for a more urgent one of those that others do, due or at work", () => {
    const takeAfter = () => claimJob(memory, "one", { now: 10, kinds: ["commit"], after: ["transcript"] });
    enqueue(memory, { kind: "commit", subject: "c", priority: 5 }, 0);
    add("later", { priority: 1, notBefore: 20 });
    add("less urgent", { priority: 9 });
    add("a", { priority: 1 });
    expect(takeAfter()).toBeNull();
    const first = claimJob(memory, "two", { now: 10, kinds: ["transcript"] })!;
    expect(takeAfter()).toBeNull();
    finish(memory, first, { chunks: 0, tookMs: 0, now: 10 });
    expect(takeAfter()).toMatchObject({ subject: "c" });
  });

  it("says what goes before a job, by kind", () => {
    enqueue(memory, { kind: "history", subject: "commits", priority: 160 }, 0);
    add("a", { priority: 100 });
    add("b", { priority: 100 });
    add("later", { priority: 100, notBefore: 20 });
    enqueue(memory, { kind: "commit", subject: "c", priority: 30 }, 0);
    expect(listMoreUrgent(memory, 160, 10)).toEqual([
      { kind: "transcript", jobs: 2 },
      { kind: "commit", jobs: 1 },
    ]);
    expect(listMoreUrgent(memory, 30, 10)).toEqual([]);
  });

  it("puts a newer job in place of one that waits, which keeps its place", () => {
    const first = add("a", { payload: { n: 1 }, priority: 3 });
    add("b", { priority: 3 });
    expect(add("a", { payload: { n: 2 }, priority: 9 })).toBe(first);
    expect(states()).toEqual(["a pending", "b pending"]);
    expect(take()).toMatchObject({ id: first, payload: { n: 2 }, priority: 3 });
  });

  it("lets a job wait beside one of its subject that runs, until that is done", () => {
    add("a", { payload: { n: 1 } });
    const running = take()!;
    add("a", { payload: { n: 2 } });
    enqueue(memory, { kind: "summary", subject: "a" }, 0);
    expect(take()).toBeNull();
    expect(findNextDueAt(memory)).toBeNull();
    expect(finish(memory, running, { chunks: 1, tookMs: 1 })).toBe(true);
    expect(take()).toMatchObject({ payload: { n: 2 } });
  });

  it("gives out only the kinds that are asked for", () => {
    add("a");
    expect(claimJob(memory, "one", { now: 0, kinds: ["summary"] })).toBeNull();
    expect(claimJob(memory, "one", { now: 0, kinds: ["summary", "transcript"] })?.subject).toBe("a");
  });

  it("gives each job to one process only", () => {
    const theirs = Memory.open(memory.file, { readonly: false });
    for (const subject of ["a", "b", "c"]) add(subject);
    const taken = [
      take(0, "one"),
      claimJob(theirs, "two", { now: 0 }),
      take(0, "one"),
      claimJob(theirs, "two", { now: 0 }),
    ];
    expect(taken.map((job) => job && `${job.owner} ${job.subject}`)).toEqual([
      "one a",
      "two b",
      "one c",
      null,
    ]);
    theirs.close();
  });
});

describe("a job that fails", () => {
  it("waits longer each time, a little more than four minutes in all, and then fails with the reason", () => {
    add("a");
    let now = 0;
    for (let attempt = 1; ; attempt++) {
      const job = take(now)!;
      expect(job.attempts).toBe(attempt);
      fail(memory, job, { error: `locked ${attempt}`, retryable: true, now });
      const due = findNextDueAt(memory);
      if (due === null) break;
      expect(take(due - 1)).toBeNull();
      now = due;
    }
    expect(now).toBe(255_000);
    expect(listJobs(memory)).toMatchObject([{ state: "dead", error: "locked 9", attempts: 9, owner: null }]);
    expect(listRecentActivity(memory, 9)).toMatchObject([{ at: now, outcome: "dead", subject: "a" }]);
  });

  it("fails at once when another attempt would not help", () => {
    add("a");
    fail(memory, take()!, { error: "no transcript", retryable: false });
    expect(listJobs(memory)).toMatchObject([{ state: "dead", error: "no transcript" }]);
  });

  it("takes over what a newer request asks for, which then is not waiting as well", () => {
    add("a", { payload: { n: 1 }, priority: 5 });
    const job = take()!;
    add("a", { payload: { n: 2 }, priority: 2, total: 3 });
    fail(memory, job, { error: "locked", retryable: true, now: 0 });
    expect(listJobs(memory)).toMatchObject([
      {
        id: job.id,
        state: "pending",
        payload: { n: 2 },
        priority: 2,
        total: 3,
        attempts: 1,
        notBefore: 1000,
      },
    ]);
  });

  it("is tried again soon, from its first attempt, when it is requested again", () => {
    add("a");
    for (let now = 0; now < 100_000; now = findNextDueAt(memory)!) {
      fail(memory, take(now)!, { error: "locked", retryable: true, now });
    }
    const before = findNextDueAt(memory)!;
    add("a", {}, before - 60_000);
    expect(listJobs(memory)).toMatchObject([{ attempts: 0, notBefore: before - 59_000 }]);
  });

  it("waits again when people ask for it, and leaves when they want that", () => {
    for (const subject of ["a", "b", "c"]) {
      add(subject);
      fail(memory, take()!, { error: "gone", retryable: false });
    }
    add("b", { payload: { n: 2 } });
    const [a] = listJobs(memory, { state: "dead" });
    expect(retryDead(memory, [a!.id, 999], 5)).toBe(1);
    expect(states()).toEqual(["a pending", "b pending", "b dead", "c dead"]);
    expect(retryDead(memory, "all", 5)).toBe(2);
    expect(states()).toEqual(["a pending", "c pending", "b pending"]);
    expect(listJobs(memory)[2]).toMatchObject({ subject: "b", payload: { n: 2 } });
    fail(memory, take(5)!, { error: "gone", retryable: false });
    expect(removeDead(memory, "all")).toBe(1);
    expect(states()).toEqual(["c pending", "b pending"]);
  });

  it("is forgotten once a newer one of its kind and subject is done", () => {
    add("a");
    fail(memory, take()!, { error: "gone", retryable: false });
    add("a");
    finish(memory, take()!, { chunks: 0, tookMs: 1 });
    expect(listJobs(memory)).toEqual([]);
  });
});

describe("a job whose process is gone", () => {
  it("waits again and keeps its attempts; those of living processes run on", () => {
    add("a");
    add("b");
    take(0, "dead");
    take(0, "alive");
    expect(recoverJobs(memory, (owner) => owner === "alive", 7)).toBe(1);
    expect(states()).toEqual(["b running", "a pending"]);
    expect(take(7)).toMatchObject({ subject: "a", attempts: 2 });
  });

  it("fails when it was started too often", () => {
    add("a");
    for (let i = 0; i < 50; i++) {
      expect(take()).not.toBeNull();
      recoverJobs(memory, () => false, 0);
    }
    expect(listJobs(memory)).toMatchObject([{ state: "dead", error: "It was interrupted 50 times." }]);
  });

  it("does not fail while it makes progress each time", () => {
    add("a");
    for (let i = 0; i < 60; i++) {
      expect(noteProgress(memory, take()!, { done: 1, total: 9 })).toBe(true);
      recoverJobs(memory, () => false, 0);
    }
    expect(take()).toMatchObject({ attempts: 1 });
  });

  it("is no longer its worker's, whose reports have no effect", () => {
    add("a");
    const job = take(0, "slow")!;
    recoverJobs(memory, () => false, 0);
    const again = take(0, "quick")!;
    expect(again.id).toBe(job.id);
    expect(noteProgress(memory, job, { done: 1, total: 2 })).toBe(false);
    expect(finish(memory, job, { chunks: 1, tookMs: 1 })).toBe(false);
    expect(fail(memory, job, { error: "", retryable: false })).toBe(false);
    expect(states()).toEqual(["a running"]);
    expect(noteProgress(memory, again, { done: 1, total: 2 })).toBe(true);
  });

  it("has not used an attempt when its worker puts it back itself", () => {
    add("a");
    expect(putBack(memory, take()!, 3)).toBe(true);
    expect(take(3)).toMatchObject({ attempts: 1 });
  });
});

it("waits for its time, which a later wish moves and an urgent one takes away", () => {
  const wish = (notBefore: number, now: number) =>
    enqueue(memory, { kind: "summary", subject: "a", notBefore }, now);
  wish(60_000, 0);
  expect(take(59_999)).toBeNull();
  wish(90_000, 30_000);
  expect(findNextDueAt(memory)).toBe(90_000);
  wish(0, 40_000);
  expect(findNextDueAt(memory)).toBe(41_000);
  wish(200_000, 50_000);
  expect(findNextDueAt(memory)).toBe(41_000);
});

describe("figures", () => {
  it("report the number of jobs, their rate and the time left", () => {
    add("a", { total: 1000 });
    add("b", { total: 3000 });
    const first = take()!;
    expect(readQueueFigures(memory, 0)).toEqual({
      jobs: { pending: 1, running: 1, dead: 0 },
      done: 0,
      total: 4000,
      chunksPerSecond: null,
      etaMs: null,
    });
    noteProgress(memory, first, { done: 1000, total: 1000, now: 5 });
    finish(memory, first, { chunks: 40, tookMs: 2000, now: 2000 });
    const second = take()!;
    noteProgress(memory, second, { done: 500, total: 3000 });
    // Of commits, not of bytes.
    enqueue(memory, { kind: "history", subject: "commits", total: 1281 }, 0);
    // Too early for a time.
    expect(readQueueFigures(memory, 4000)).toMatchObject({ chunksPerSecond: 10, etaMs: null });
    // It has become slow: how long it takes is not known.
    expect(readQueueFigures(memory, 10_000)).toMatchObject({ done: 500, chunksPerSecond: 4, etaMs: null });
    noteProgress(memory, second, { done: 2000, total: 3000 });
    expect(readQueueFigures(memory, 10_000)).toMatchObject({
      done: 2000,
      total: 3000,
      chunksPerSecond: 4,
      etaMs: 3333,
    });
    expect(readQueueFigures(memory, 400_000)).toMatchObject({ chunksPerSecond: null, etaMs: null });
    expect(listRecentActivity(memory, 5)).toEqual([
      { at: 2000, kind: "transcript", subject: "a", outcome: "done", chunks: 40, units: 1000, tookMs: 2000 },
    ]);
  });

  it("remember the last 200 jobs", () => {
    for (let i = 0; i < 203; i++) {
      add(`s${i}`);
      finish(memory, take()!, { chunks: 0, tookMs: 1, now: i });
    }
    const activity = listRecentActivity(memory, 1000);
    expect(activity).toHaveLength(200);
    expect([activity[0]?.subject, activity.at(-1)?.subject]).toEqual(["s202", "s3"]);
  });
});

/** A model of the queue without a database: per kind and subject the newest payload that was not processed. */
interface Promised {
  waiting: number | null;
  running: number | null;
  dead: number | null;
}

it("loses nothing and runs nothing twice, whatever happens", () => {
  const subject = fc.constantFrom("a", "b");
  const kind = fc.constantFrom("transcript" as const, "summary" as const);
  const operation = fc.oneof(
    fc.record({
      do: fc.constant("enqueue" as const),
      subject,
      kind,
      priority: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({ do: fc.constant("claim" as const), owner: fc.constantFrom("one", "two") }),
    fc.record({
      do: fc.constantFrom("finish" as const, "retry" as const, "giveUp" as const, "putBack" as const),
      which: fc.nat(3),
    }),
    fc.record({ do: fc.constant("recover" as const), alive: fc.constantFrom("one", "two", "none") }),
    fc.record({ do: fc.constant("retryDead" as const) }),
    fc.record({ do: fc.constant("wait" as const) }),
  );
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
      memory.runInTransaction(() => {
        memory.exec("DELETE FROM jobs");
      });
      const promises = new Map<string, Promised>();
      const promiseOf = ({ kind, subject }: Pick<JobRecord, "kind" | "subject">) => {
        const key = `${kind} ${subject}`;
        const known = promises.get(key) ?? { waiting: null, running: null, dead: null };
        promises.set(key, known);
        return known;
      };
      const returned = (job: JobRecord, isDead: boolean) => {
        const promise = promiseOf(job);
        if (isDead) promise.dead = promise.running;
        else promise.waiting ??= promise.running;
        promise.running = null;
      };
      const claimed: JobRecord[] = [];
      let [n, now] = [0, 0];
      for (const step of operations) {
        if (step.do === "enqueue") {
          enqueue(memory, { ...step, payload: { n: ++n } }, now);
          promiseOf(step).waiting = n;
        } else if (step.do === "claim") {
          const job = claimJob(memory, step.owner, { now });
          const isFree = (key: string) =>
            ![...promises].some(
              ([k, { running }]) => running !== null && k.split(" ")[1] === key.split(" ")[1],
            );
          const due = [...promises].some(([key, { waiting }]) => waiting !== null && isFree(key));
          if (job === null) {
            expect(findNextDueAt(memory) === null || findNextDueAt(memory)! > now).toBe(true);
            expect(findNextDueAt(memory) === null).toBe(!due);
          } else {
            const promise = promiseOf(job);
            expect(isFree(`${job.kind} ${job.subject}`)).toBe(true);
            expect(job.payload).toEqual({ n: promise.waiting });
            promise.running = promise.waiting;
            promise.waiting = null;
            claimed.push(job);
          }
        } else if (step.do === "wait") {
          now = Math.max(now, findNextDueAt(memory) ?? now);
        } else if (step.do === "recover") {
          const gone = listJobs(memory, { state: "running" }).filter(({ owner }) => owner !== step.alive);
          expect(recoverJobs(memory, (owner) => owner === step.alive, now)).toBe(gone.length);
          for (const job of gone) returned(job, job.attempts >= 50);
        } else if (step.do === "retryDead") {
          retryDead(memory, "all", now);
          for (const promise of promises.values()) {
            promise.waiting ??= promise.dead;
            promise.dead = null;
          }
        } else {
          const job = claimed.at(-1 - step.which);
          if (!job) continue;
          const isOurs = listJobs(memory, { state: "running" }).some(
            ({ id, owner }) => id === job.id && owner === job.owner,
          );
          const current = listJobs(memory).find(({ id }) => id === job.id);
          const done = {
            finish: () => finish(memory, job, { chunks: 0, tookMs: 0, now }),
            retry: () => fail(memory, job, { error: "locked", retryable: true, now }),
            giveUp: () => fail(memory, job, { error: "gone", retryable: false, now }),
            putBack: () => putBack(memory, job, now),
          }[step.do]();
          expect(done).toBe(isOurs);
          if (!isOurs) continue;
          if (step.do === "finish") Object.assign(promiseOf(job), { running: null, dead: null });
          else returned(job, step.do === "giveUp" || (step.do === "retry" && current!.attempts >= 9));
        }
        const stored = new Map<string, Promised>();
        for (const job of listJobs(memory)) {
          const key = `${job.kind} ${job.subject}`;
          const state = job.state === "pending" ? "waiting" : job.state;
          const known = stored.get(key) ?? { waiting: null, running: null, dead: null };
          expect(known[state]).toBeNull();
          known[state] = job.payload.n as number;
          stored.set(key, known);
        }
        for (const [key, promise] of promises) {
          expect(stored.get(key) ?? { waiting: null, running: null, dead: null }).toEqual(promise);
        }
      }
    }),
    { numRuns: 300 },
  );
});
