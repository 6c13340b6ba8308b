import { expect, test } from "vitest";
import { Rerun } from "./rerun.ts";

function makeGate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

test("runs once more for all who ask during a run", async () => {
  let runs = 0;
  const gate = makeGate();
  const rerun = new Rerun(async () => {
    if (++runs === 1) await gate.opened;
  });
  const asked = [rerun.request(), rerun.request(), rerun.request()];
  expect(rerun.isRunning).toBe(true);
  gate.open();
  await Promise.all(asked);
  expect(runs).toBe(2);
  expect(rerun.isRunning).toBe(false);
});

test("loses no request, at whatever moment of a run's end it arrives", async () => {
  // Each step is one turn of the queue of promises: between the end of the work and the first look of whoever waits are a few.
  for (let steps = 0; steps < 12; steps++) {
    let runs = 0;
    const rerun = new Rerun(async () => {
      runs++;
      await Promise.resolve();
    });
    const first = rerun.request();
    for (let step = 0; step < steps; step++) await Promise.resolve();
    const before = runs;
    await rerun.request();
    expect(runs, `asked after ${steps} steps`).toBeGreaterThan(before);
    await first;
  }
});

test("serves the next request after a failure", async () => {
  let runs = 0;
  const rerun = new Rerun(async () => {
    if (++runs === 1) throw new Error("the first run fails");
  });
  await expect(rerun.request()).rejects.toThrow("the first run fails");
  await rerun.request();
  expect(runs).toBe(2);
});

test("runs no more after it was cancelled", async () => {
  let runs = 0;
  const gate = makeGate();
  const rerun = new Rerun(async () => {
    runs++;
    await gate.opened;
  });
  void rerun.request();
  void rerun.request();
  const cancelled = rerun.cancel();
  gate.open();
  await cancelled;
  expect(runs).toBe(1);
});
