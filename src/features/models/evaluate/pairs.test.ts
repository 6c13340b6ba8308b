import { expect, test } from "vitest";
import { shuffled } from "./pairs.ts";

const numbers = Array.from({ length: 50 }, (_, i) => i);

test("shuffled: the same seed gives the same order, another seed a different one", () => {
  expect(shuffled(numbers, "a")).toEqual(shuffled(numbers, "a"));
  expect(shuffled(numbers, "a")).not.toEqual(shuffled(numbers, "b"));
});

test("shuffled: keeps all items", () => {
  expect(shuffled(numbers, "a")).not.toEqual(numbers);
  expect(shuffled(numbers, "a").sort((a, b) => a - b)).toEqual(numbers);
  expect(shuffled([], "a")).toEqual([]);
});
