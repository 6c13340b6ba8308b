import { expect, it } from "vitest";
import { chooseLimit } from "./write-batch.ts";

const limitAt = (moment: Partial<Parameters<typeof chooseLimit>[0]>) =>
  chooseLimit({ mode: "background", written: 0, elapsedMs: 0, isSaveRunning: false, ...moment });

it("a slow machine writes as few segments as a quick one, in ever longer transactions", () => {
  const chunksPerSecond = 15;
  let transactions = 0;
  for (let [written, elapsedMs, since] = [0, 0, 0]; written < 3000; elapsedMs += 100) {
    const parsed = ((elapsedMs - since) / 1000) * chunksPerSecond;
    const limit = limitAt({ written, elapsedMs });
    if (parsed < limit.chunks && elapsedMs - since < limit.waitMs) continue;
    [written, since] = [written + parsed, elapsedMs];
    transactions++;
  }
  expect(transactions).toBeLessThan(20);
});

it("a save is written soon, however long the pass takes", () => {
  expect(limitAt({ elapsedMs: 100_000, isSaveRunning: true }).waitMs).toBe(500);
});
