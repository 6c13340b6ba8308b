import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutIntoWindows, findTextBorders, LineStarts } from "./lines.ts";

describe("Lines", () => {
  test.each([
    ["", 1],
    ["a", 1],
    ["a\n", 1],
    ["a\nb", 2],
    ["a\r\nb\r\n", 2],
    ["\n\n", 2],
  ])("%j has %i", (text, count) => {
    expect(new LineStarts(text).count).toBe(count);
  });

  test("finds the line of every offset", () => {
    const text = "one\n\nthree\n";
    const lines = new LineStarts(text);
    expect([...text].map((_, offset) => lines.findLineAt(offset))).toEqual([1, 1, 1, 1, 2, 3, 3, 3, 3, 3, 3]);
  });

  test("a range that ends with a line's break ends in that line", () => {
    expect(new LineStarts("one\ntwo\nthree").findLineSpan({ start: 0, end: 8 })).toEqual([1, 2]);
  });
});

describe("cutIntoWindows", () => {
  const size = { size: 4, overlap: 1 };

  test("leaves what fits alone", () => {
    expect(cutIntoWindows(1, 6, [], size)).toEqual([[1, 6]]);
  });

  test("takes the shallowest border, of equal ones the latest", () => {
    const borders = [
      { line: 3, depth: 0 },
      { line: 4, depth: 0 },
      { line: 5, depth: 1 },
    ];
    expect(cutIntoWindows(1, 8, borders, { size: 4, overlap: 0 })).toEqual([
      [1, 3],
      [4, 8],
    ]);
  });

  test("repeats lines only from a border on", () => {
    const borders = [5, 8, 9].map((line) => ({ line, depth: 0 }));
    expect(cutIntoWindows(1, 12, borders, { size: 8, overlap: 3 })).toEqual([[1, 12]]);
    expect(cutIntoWindows(1, 13, borders, { size: 8, overlap: 3 })).toEqual([
      [1, 8],
      [8, 13],
    ]);
  });

  test("waits for a border up to two sizes, then cuts anyhow", () => {
    expect(cutIntoWindows(1, 20, [{ line: 7, depth: 0 }], size)[0]).toEqual([1, 6]);
    expect(cutIntoWindows(1, 20, [{ line: 18, depth: 0 }], size)[0]).toEqual([1, 8]);
    expect(cutIntoWindows(1, 20, [], size)[0]).toEqual([1, 4]);
  });

  test("covers every line in order and ends, whatever the borders", () => {
    const border = fc.record({ line: fc.integer({ min: 1, max: 300 }), depth: fc.nat(3) });
    fc.assert(
      fc.property(
        fc.uniqueArray(border, { selector: ({ line }) => line }),
        fc.integer({ min: 1, max: 50 }),
        fc.nat(20),
        fc.integer({ min: 1, max: 300 }),
        (unsorted, windowSize, overlap, last) => {
          const borders = unsorted.sort((a, b) => a.line - b.line);
          const windows = cutIntoWindows(1, last, borders, { size: windowSize, overlap });
          expect(windows[0]![0]).toBe(1);
          expect(windows.at(-1)![1]).toBe(last);
          windows.forEach(([start, end], i) => {
            expect(end).toBeGreaterThanOrEqual(start);
            expect(end - start + 1).toBeLessThanOrEqual(Math.max(windowSize * 2 + overlap, windowSize * 1.5));
            if (i === 0) return;
            const [previousStart, previousEnd] = windows[i - 1]!;
            expect(start).toBeGreaterThan(previousStart);
            expect(start).toBeLessThanOrEqual(previousEnd + 1);
          });
        },
      ),
    );
  });
});

test("text may be cut anywhere but at blank lines, best after them", () => {
  expect(findTextBorders(new LineStarts("a\nb\n \nc\n"), 1, 4)).toEqual([
    { line: 1, depth: 1 },
    { line: 2, depth: 1 },
    { line: 4, depth: 0 },
  ]);
});
