import { expect, it } from "vitest";
import { createGate } from "./gate.ts";

it("lets only a few at a time, in their order", async () => {
  const gate = createGate(2);
  const order: number[] = [];
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      gate.pass(async () => {
        order.push(i);
        most = Math.max(most, ++inside);
        await new Promise(setImmediate);
        inside--;
      }),
    ),
  );
  expect(most).toBe(2);
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(gate.waiting).toBe(0);
});

it("gives its place on when work fails, or is given up before its turn", async () => {
  const gate = createGate(1);
  const failed = gate.pass(() => Promise.reject(new Error("no")));
  const given = AbortSignal.abort(new Error("given up"));
  const waiting = gate.pass(() => Promise.resolve("never"), given);
  const last = gate.pass(() => Promise.resolve("last"));
  await expect(failed).rejects.toThrow("no");
  await expect(waiting).rejects.toThrow("given up");
  await expect(last).resolves.toBe("last");
});
