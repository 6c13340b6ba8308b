import { expect, it } from "vitest";
import { KeptStates } from "./json-lines.ts";

const at = (offset: number) => ({ offset, lineHash: `${offset}-x` });

it("returns a cached state once, for exactly its cursor", () => {
  const kept = new KeptStates<{ name: string }>();
  const state = { name: "left" };
  kept.put("a", at(10), state);
  expect(kept.take("a", at(10))).toBe(state);
  expect(kept.take("a", at(10))).toBeNull();
  for (const other of [at(11), { offset: 10, lineHash: "other" }, null]) {
    kept.put("a", at(10), state);
    expect(kept.take("a", other)).toBeNull();
  }
  expect(kept.take("b", null)).toBeNull();
});

it("keeps the most recent states", () => {
  const kept = new KeptStates<{ name: string }>();
  const files = ["a", "b", "c", "d", "e", "f"];
  for (const file of files) kept.put(file, at(1), { name: file });
  kept.put("c", at(2), { name: "c" });
  kept.put("g", at(1), { name: "g" });
  expect(["a", "b", "d"].map((file) => kept.take(file, at(1)))).toEqual([null, null, null]);
  expect(kept.take("c", at(2))).not.toBeNull();
  expect(["e", "f", "g"].every((file) => kept.take(file, at(1)) !== null)).toBe(true);
});
