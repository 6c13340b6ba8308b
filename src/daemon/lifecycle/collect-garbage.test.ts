import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { collectGarbage } from "./collect-garbage.ts";

it("frees what is not referenced", async () => {
  const held = [new WeakRef({ large: new Array(1000) })];
  await nextTurn();
  collectGarbage();
  expect(held[0]!.deref()).toBeUndefined();
});
