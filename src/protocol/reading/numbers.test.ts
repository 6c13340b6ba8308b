import { expect, it } from "vitest";
import { formatSpans } from "./numbers.ts";

it("numbers that follow each other are a span", () => {
  expect([[], [4], [1, 2], [1, 3, 4, 5, 9]].map(formatSpans)).toEqual(["", "4", "1-2", "1,3-5,9"]);
});
