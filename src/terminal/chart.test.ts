import { expect, it } from "vitest";
import { drawAuthorBar, drawBar, drawProgressBar, drawSparkline } from "./chart.ts";
import { createPalette } from "./palette.ts";

it("draws shares to an eighth of a column, and something for the smallest", () => {
  expect([0, 0.001, 0.5, 0.53, 1, 2].map((share) => drawBar(share, 4))).toEqual([
    "",
    "▏",
    "██",
    "██▏",
    "████",
    "████",
  ]);
  expect([0, 0.5, 1].map((share) => drawProgressBar(share, 4))).toEqual(["[░░░░]", "[██░░]", "[████]"]);
});

it("draws numbers as small columns, and nothing as a dot", () => {
  expect(drawSparkline([0, 1, 4, 8])).toBe("·▁▄█");
  expect([drawSparkline([]), drawSparkline([0, 0])]).toEqual(["", "··"]);
});

it("gives everybody who wrote a column, and never more than there are", () => {
  const colors = createPalette();
  expect(drawAuthorBar({ agent: 50, human: 25, unknown: 25 }, 8, colors)).toBe("████▓▓░░");
  expect(drawAuthorBar({ agent: 1, human: 1, unknown: 9998 }, 8, colors)).toBe("█▓░░░░░░");
  expect(drawAuthorBar({ agent: 0, human: 0, unknown: 0 }, 8, colors)).toBe("");
});
