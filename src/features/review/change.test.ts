import { expect, test } from "vitest";
import { buildHunks, limitChanges } from "./change.ts";

const after = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`);
const change = (newStart: number, removed: string[], added: string[]) => ({
  oldStart: newStart,
  newStart,
  removed,
  added,
});
const brief = (hunks: ReturnType<typeof buildHunks>) =>
  hunks.map(
    ({ old_start, new_start, lines }) =>
      `${old_start},${new_start} ${lines.map(({ mark, text }) => mark + text.replace("line ", "")).join(" ")}`,
  );

test("a change has three lines around it, and those close to it are in its hunk", () => {
  const changes = [change(5, ["old"], ["line 5"]), change(10, [], ["line 10"]), change(25, ["gone"], [])];
  expect(brief(buildHunks(changes, after, () => 0))).toEqual([
    "2,2  2  3  4 -old +5  6  7  8  9 +10  11  12  13",
    "22,22  22  23  24 -gone  25  26  27",
  ]);
});

test("at the ends of a file there is less around it, and nothing in one that is gone", () => {
  expect(brief(buildHunks([change(1, [], ["line 1"])], after.slice(0, 2), () => 0))).toEqual(["1,1 +1  2"]);
  expect(brief(buildHunks([change(1, ["a", "b"], [])], [], () => null))).toEqual(["1,1 -a -b"]);
});

test("a long change is cut, and says by how much", () => {
  const { shown, leftOut } = limitChanges([change(1, ["a"], ["b", "c"]), change(9, [], ["d"])], 2);
  expect(shown).toEqual([{ ...change(1, ["a"], ["b"]) }]);
  expect(leftOut).toBe(2);
});
