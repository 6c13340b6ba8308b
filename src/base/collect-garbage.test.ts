import { setImmediate as nextTurn } from "node:timers/promises";
import v8 from "node:v8";
import { afterEach, expect, it, vi } from "vitest";
import { collectGarbage, collectWhileBusy } from "./collect-garbage.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Something that nobody holds any more. */
const garbage = () => new WeakRef({ large: new Array(1000) });

/** The module as a process of its own has it: other tests of this one have collected garbage, too. */
async function alone() {
  vi.resetModules();
  return import("./collect-garbage.ts");
}

it("frees what is not referenced", async () => {
  const held = [garbage()];
  await nextTurn();
  collectGarbage();
  expect(held[0]!.deref()).toBeUndefined();
});

it("frees it every five minutes while there is work, until it is stopped", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  let used = 0;
  vi.spyOn(process, "cpuUsage").mockImplementation((before) => ({
    user: used - (before?.user ?? 0),
    system: 0,
  }));
  const collected = async (cpuSeconds: number) => {
    const held = [garbage()];
    await nextTurn();
    used += cpuSeconds * 1e6;
    vi.advanceTimersByTime(300_000);
    return held[0]!.deref() === undefined;
  };
  const stop = collectWhileBusy();
  expect([await collected(6), await collected(1), await collected(6)]).toEqual([true, false, true]);
  stop();
  expect(await collected(6)).toBe(false);
});

it("frees it once for all that come to rest within half a minute", async () => {
  const { collectAtRest } = await alone();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const collected = async (milliseconds: number) => {
    const held = [garbage()];
    await nextTurn();
    collectAtRest();
    vi.advanceTimersByTime(milliseconds);
    return held[0]!.deref() === undefined;
  };
  expect(await collected(0)).toBe(true);
  vi.advanceTimersByTime(1000);
  expect([await collected(5000), await collected(23_900), await collected(200)]).toEqual([
    false,
    false,
    true,
  ]);
});

it("frees it when a thread holds twice of what was left, and more", async () => {
  const { collectWhenGrown } = await alone();
  let used = 0;
  vi.spyOn(v8, "getHeapStatistics").mockImplementation(
    () => ({ used_heap_size: used, external_memory: 10_000_000 }) as v8.HeapInfo,
  );
  const collected = async (megabytes: number) => {
    const held = [garbage()];
    await nextTurn();
    used = megabytes * 1e6;
    collectWhenGrown();
    return held[0]!.deref() === undefined;
  };
  // 110 MB are left after the second: 268 MB may be held before the next.
  expect([await collected(30), await collected(100), await collected(250), await collected(260)]).toEqual([
    false,
    true,
    false,
    true,
  ]);
});
