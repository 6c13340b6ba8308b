import { expect, test } from "vitest";
import {
  type DiffHunk,
  pairLines,
  parseDiff,
  reverseHunk,
  splitIntoSegments,
  withStretches,
} from "./diff-lines.ts";

const hunk = (
  ...lines: [mark: DiffHunk["lines"][number]["mark"], text: string, by?: number][]
): DiffHunk => ({
  old_start: 10,
  new_start: 20,
  lines: lines.map(([mark, text, by = null]) => ({ mark, text, by: by ?? null })),
});

const brief = (of: DiffHunk) =>
  splitIntoSegments(of).map(
    ({ by, lines }) => `${by}: ${lines.map(({ mark, text }) => mark + text).join("|")}`,
  );

test("a hunk is divided where its author changes; removed lines go with those in their place", () => {
  expect(
    brief(
      hunk(
        [" ", "a"],
        ["-", "b"],
        ["+", "c", 0],
        ["+", "d", 1],
        [" ", "e"],
        ["-", "f"],
        [" ", "g"],
        ["+", "h", 1],
      ),
    ),
  ).toEqual(["null:  a", "0: -b|+c", "1: +d", "null:  e", "null: -f", "null:  g", "1: +h"]);
});

test("every line has its numbers on the sides that have it", () => {
  const lines = splitIntoSegments(hunk([" ", "a"], ["-", "b"], ["+", "c", 0], [" ", "d"])).flatMap(
    (one) => one.lines,
  );
  expect(lines.map(({ before, after }) => [before, after])).toEqual([
    [10, 20],
    [11, null],
    [null, 21],
    [12, 22],
  ]);
});

test("words that differ are marked where lines are alike, and nothing where they are not", () => {
  const changed = (of: ReviewHunk) =>
    splitIntoSegments(of)
      .flatMap(({ lines }) => lines)
      .map(({ text, changed }) => changed.map(([from, to]) => text.slice(from, to)));
  expect(changed(hunk(["-", "const port = 80;"], ["+", "const port = 443;", 0]))).toEqual([["80"], ["443"]]);
  expect(changed(hunk(["-", "const port = 80;"], ["+", "export * from here", 0]))).toEqual([[], []]);
});

test("side by side, what was stands beside what took its place", () => {
  const [segment] = splitIntoSegments(hunk(["-", "a"], ["-", "b"], ["+", "c", 0]));
  expect(pairLines(segment!.lines).map(([old, now]) => [old?.text, now?.text])).toEqual([
    ["a", "c"],
    ["b", undefined],
  ]);
});

test("marks divide coloured pieces and lose no character", () => {
  const pieces = [
    { text: "const ", style: "k" },
    { text: "port", style: "v" },
  ];
  const marked = withStretches(pieces, [[4, 8]]);
  expect(marked.map(({ text, isChanged }) => [text, isChanged])).toEqual([
    ["cons", false],
    ["t ", true],
    ["po", true],
    ["rt", false],
  ]);
});

test("a unified diff becomes hunks, with or without names and numbers", () => {
  const patch = [
    "Index: x.ts",
    "====",
    "--- a/x.ts",
    "+++ b/x.ts",
    "@@ -3,2 +4,2 @@ function x",
    " a",
    "--- b",
    "+c",
    "\\ No newline",
    "",
  ];
  expect(parseDiff(patch)).toEqual([
    {
      old_start: 3,
      new_start: 4,
      lines: [
        { mark: " ", text: "a", by: null },
        { mark: "-", text: "-- b", by: null },
        { mark: "+", text: "c", by: null },
      ],
    },
  ]);
  expect(parseDiff(["-a", "+b", "@@", "+c"])).toMatchObject([
    { old_start: null, new_start: null, lines: [{ mark: "-" }, { mark: "+" }] },
    { old_start: null, lines: [{ text: "c" }] },
  ]);
  expect(splitIntoSegments(parseDiff(["+b"])[0]!)[0]!.lines[0]).toMatchObject({ before: null, after: null });
  expect(parseDiff(["--- a/x", "+++ b/x"])).toEqual([]);
});

test("what takes a change back removes what was added, and adds what was removed", () => {
  const [hunk] = parseDiff(["@@ -3,2 +3,3 @@", " a", "-b", "+c", "+d", " e", "+f"]);
  const { old_start, new_start, lines } = reverseHunk({ ...hunk!, new_start: 4 });
  expect([old_start, new_start]).toEqual([4, 3]);
  expect(lines.map(({ mark, text }) => mark + text)).toEqual([" a", "-c", "-d", "+b", " e", "-f"]);
});
