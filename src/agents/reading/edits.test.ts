import fc from "fast-check";
import { expect, it } from "vitest";
import { diffLines } from "./edits.ts";

it("a line diff has hunks with the places of a unified diff", () => {
  expect(diffLines("a\nb\nc\nd\n", "a\nB\nc\nd\ne\n")).toEqual([
    { oldStart: 2, oldLines: 1, newStart: 2, newLines: 1, lines: ["-b", "+B"] },
    { oldStart: 4, oldLines: 0, newStart: 5, newLines: 1, lines: ["+e"] },
  ]);
  expect(diffLines("a\r\n", "a\n")).toEqual([]);
  expect(diffLines("a\nb\n", "b\n")).toEqual([
    { oldStart: 1, oldLines: 1, newStart: 0, newLines: 0, lines: ["-a"] },
  ]);
});

it("a line diff leads from one text to the other, and keeps what is the same", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const join = (all: string[]) => all.map((line) => `${line}\n`).join("");
      const hunks = diffLines(join(before), join(after));
      const result: string[] = [...before];
      for (const { oldStart, oldLines, lines: changed } of hunks.toReversed()) {
        const removed = changed.filter((line) => line.startsWith("-")).map((line) => line.slice(1));
        const added = changed.filter((line) => line.startsWith("+")).map((line) => line.slice(1));
        const at = oldLines === 0 ? oldStart : oldStart - 1;
        expect(result.splice(at, oldLines, ...added)).toEqual(removed);
      }
      expect(result).toEqual(after);
      for (const { newStart, newLines, lines: changed } of hunks)
        expect(changed.filter((line) => line.startsWith("+")).map((line) => line.slice(1))).toEqual(
          newLines === 0 ? [] : after.slice(newStart - 1, newStart - 1 + newLines),
        );
    }),
  );
});

it("a line diff of many changes replaces all between the first and the last", () => {
  const text = (prefix: string) =>
    `same\n${Array.from({ length: 3000 }, (_, at) => `${prefix}${at}\n`).join("")}end\n`;
  const [hunk, ...more] = diffLines(text("a"), text("b"));
  expect(more).toEqual([]);
  expect(hunk).toMatchObject({ oldStart: 2, oldLines: 3000, newStart: 2, newLines: 3000 });
  expect(hunk?.lines).toHaveLength(6000);
  const [added] = diffLines("same\nend\n", text("a"));
  expect(added).toMatchObject({ oldStart: 1, oldLines: 0, newStart: 2, newLines: 3000 });
});
