import { setImmediate as nextTurn } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import { afterEach, expect, it, vi } from "vitest";
import { collectGarbage, collectWhenGrown, collectWhileBusy } from "./collect-garbage.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Something that nobody holds any more. */
const garbage = () => new WeakRef({ large: new Array(1000) });

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

it("frees it when a thread holds twice of what was left, and more", async () => {
  collectWhenGrown();
  const held = [garbage()];
  await nextTurn();
  const { used_heap_size, external_memory } = getHeapStatistics();
  const lot = Buffer.allocUnsafe(2 * (used_heap_size + external_memory) + 50_000_000);
  collectWhenGrown();
  expect(held[0]!.deref()).toBeUndefined();
  expect(lot.length).toBeGreaterThan(0);
});
