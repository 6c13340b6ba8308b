import { expect, test } from "vitest";
import { shuffleBySeed } from "./pairs.ts";

const numbers = Array.from({ length: 50 }, (_, i) => i);

test("shuffled: the same seed gives the same order, another seed a different one", () => {
  expect(shuffleBySeed(numbers, "a")).toEqual(shuffleBySeed(numbers, "a"));
  expect(shuffleBySeed(numbers, "a")).not.toEqual(shuffleBySeed(numbers, "b"));
});

test("shuffled: keeps all items", () => {
  expect(shuffleBySeed(numbers, "a")).not.toEqual(numbers);
  expect(shuffleBySeed(numbers, "a").sort((a, b) => a - b)).toEqual(numbers);
  expect(shuffleBySeed([], "a")).toEqual([]);
});
