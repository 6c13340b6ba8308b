import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { collectGarbage, collectWhileBusy } from "./collect-garbage.ts";

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
