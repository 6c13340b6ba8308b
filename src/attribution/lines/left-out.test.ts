import { expect, it } from "vitest";
import { fileOfDiff, write } from "../../../test/support/attribution-fixture.ts";
import { headAndTail, leftOutIn } from "../../agents/reading/bounds.ts";
import { isCut } from "./fill-between.ts";
import { writtenBy } from "./written.ts";

const lines = Array.from({ length: 400 }, (_, i) => `const value${i} = compute(${i * 7}, "name ${i}");`);
const cut = headAndTail(lines.join("\n"), 3000).split("\n");
const found = (now: readonly string[]) => {
  const file = fileOfDiff(
    now.map((line) => `+${line}`),
    { status: "A" },
  );
  return [...writtenBy(file, [write(cut)], new Map(), 0).keys()].length;
};

it("a mark says how much was left out, also without its blanks", () => {
  expect(leftOutIn(headAndTail("x".repeat(50), 10).split("\n")[1]!)).toBe(40);
  expect(leftOutIn("[...40charactersleftout...]")).toBe(40);
  expect(leftOutIn("// [... 40 characters left out ...]")).toBe(null);
  expect([isCut(write(cut)), isCut(write(lines))]).toEqual([true, false]);
});

it("lines between a beginning and an end that were kept are those that were left out", () => {
  expect(cut.length).toBeLessThan(100);
  expect(found(lines)).toBe(400);
});

it("unless there are others in their place", () => {
  const others = Array.from(
    { length: 100 },
    (_, i) => `// ${i} another line that somebody else wrote by hand`,
  );
  expect(found([...lines.slice(0, 200), ...others, ...lines.slice(200)])).toBeLessThan(100);
  expect(found([...lines.slice(0, 100), ...lines.slice(300)])).toBeLessThan(100);
});
