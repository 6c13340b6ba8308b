import { expect, it, vi } from "vitest";
import { IndexQueue } from "./index-queue.ts";

const done = (chunks: number, took = 1) => ({ chunks, took, skipped: null });
const stamp = (path: string, size = 1) => ({ path, size, mtimeMs: 0 });

it("index queue: takes saved files before scanned ones, each in order of arrival", () => {
  const queue = new IndexQueue();
  queue.add(stamp("a"), "scanned");
  queue.add(stamp("b"), "scanned");
  queue.add(stamp("c"), "saved");
  expect([queue.take(), queue.take(), queue.take(), queue.take()].map((s) => s?.path)).toEqual([
    "c",
    "a",
    "b",
    undefined,
  ]);
});

it("index queue: takes the files of the newest question before other scanned ones, also those that come later", () => {
  const queue = new IndexQueue();
  queue.prefer(["older", "b"]);
  for (const path of ["a", "b", "c"]) queue.add(stamp(path), "scanned");
  queue.add(stamp("saved"), "saved");
  queue.prefer(["c", "later"]);
  queue.add(stamp("later"), "scanned");
  const taken = () => queue.take()?.path;
  expect([taken(), taken(), taken(), taken(), taken(), taken()]).toEqual([
    "saved",
    "c",
    "later",
    "b",
    "a",
    undefined,
  ]);
});

it("index queue: never runs a path twice at once, and runs the newest version after", () => {
  const queue = new IndexQueue();
  queue.add(stamp("a", 1), "scanned");
  expect(queue.take()?.size).toBe(1);
  queue.add(stamp("a", 2), "saved");
  queue.add(stamp("a", 3), "saved");
  expect(queue.take()).toBeNull();
  queue.finish("a", done(5));
  expect(queue.take()?.size).toBe(3);
});

it("index queue: knows whether saved files run and no more of them wait", () => {
  const queue = new IndexQueue();
  queue.add(stamp("scanned"), "scanned");
  queue.add(stamp("a"), "saved");
  queue.add(stamp("b"), "saved");
  queue.take();
  expect(queue.isSaveRunning()).toBe(false);
  queue.take();
  expect(queue.isSaveRunning()).toBe(true);
  queue.take();
  queue.finish("a", done(1));
  expect(queue.isSaveRunning()).toBe(true);
  queue.putBack("b");
  queue.take();
  expect(queue.isSaveRunning()).toBe(false);
});

it("index queue: holds a path once", () => {
  const queue = new IndexQueue();
  queue.add(stamp("a"), "scanned");
  queue.add(stamp("a"), "saved");
  queue.add(stamp("a"), "scanned");
  expect(queue.progress().pending).toBe(1);
});

it("index queue: requeues an unfinished file unless a newer version is pending", () => {
  const queue = new IndexQueue();
  queue.add(stamp("a", 1), "scanned");
  queue.take();
  queue.putBack("a");
  expect(queue.take()?.size).toBe(1);
  queue.add(stamp("a", 2), "saved");
  queue.putBack("a");
  expect(queue.take()?.size).toBe(2);
  expect(queue.take()).toBeNull();
});

it("index queue: counts, and is idle when nothing is pending or running", () => {
  const queue = new IndexQueue();
  expect(queue.progress()).toMatchObject({ pending: 0, is_idle: true, eta_seconds: 0, processing: null });
  queue.add(stamp("a"), "scanned");
  queue.add(stamp("b"), "scanned");
  queue.take();
  expect(queue.progress()).toMatchObject({
    pending: 2,
    total: 2,
    done: 0,
    processing: "a",
    is_idle: false,
    eta_seconds: null,
  });
  queue.finish("a", done(7));
  expect(queue.progress()).toMatchObject({
    pending: 1,
    total: 2,
    done: 1,
    recent: [{ path: "a", chunks: 7 }],
  });
  queue.take();
  queue.finish("b", done(1));
  expect(queue.isIdle()).toBe(true);
  queue.add(stamp("c"), "saved");
  expect(queue.progress()).toMatchObject({ done: 0, total: 1 });
});

it("index queue: says a time left once it is steady", () => {
  vi.useFakeTimers({ now: 0 });
  try {
    const queue = new IndexQueue();
    for (let i = 0; i < 1000; i++) queue.add(stamp(`file${i}`), "scanned");
    let finished = 0;
    const etaAfter = (seconds: number, each: number) => {
      for (let second = 0; second < seconds; second++) {
        vi.advanceTimersByTime(1000);
        for (let i = 0; i < each; i++) {
          queue.take();
          queue.finish(`file${finished++}`, done(1));
        }
      }
      return queue.progress().eta_seconds;
    };
    expect(etaAfter(4, 10)).toBeNull();
    expect(etaAfter(2, 10)).toBe(94);
    expect(etaAfter(5, 50)).toBeNull();
    expect(etaAfter(5, 50)).toBe(Math.ceil((1000 - finished) / 50));
    expect(etaAfter(20, 0)).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});

it("index queue: looks again at running files at or below a path that is gone", () => {
  const queue = new IndexQueue();
  for (const path of ["a/one", "a/two", "ab", "b"]) queue.add(stamp(path), "scanned");
  for (let i = 0; i < 3; i++) queue.take();
  queue.repeat("a");
  queue.repeat("b");
  for (const path of ["a/one", "a/two", "ab"]) queue.finish(path, done(1));
  expect([queue.take(), queue.take(), queue.take(), queue.take()].map((s) => s?.path)).toEqual([
    "a/one",
    "a/two",
    "b",
    undefined,
  ]);
});
