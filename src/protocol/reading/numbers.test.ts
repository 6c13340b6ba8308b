import { expect, it } from "vitest";
import { formatNumbered, formatSpans } from "./numbers.ts";

it("numbers that follow each other are a span", () => {
  expect([[], [4], [1, 2], [1, 3, 4, 5, 9]].map(formatSpans)).toEqual(["", "4", "1-2", "1,3-5,9"]);
});

it("one thing is singular", () => {
  expect([[], [3], [1, 2]].map((turns) => formatNumbered("turn", turns))).toEqual([
    "",
    "turn 3",
    "turns 1-2",
  ]);
});
