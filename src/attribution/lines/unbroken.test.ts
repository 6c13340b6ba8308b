import { expect, it } from "vitest";
import type { FileLine } from "./align.ts";
import { asBare, lineKey } from "./line-keys.ts";
import { unbrokenLines } from "./unbroken.ts";

const linesOf = (...texts: string[]): FileLine[] =>
  texts.map((text, i) => ({ ...asBare(text), line: i + 1, isAdded: true }));
const unbroken = (before: string, ...texts: string[]) =>
  Object.fromEntries(
    [...unbrokenLines(linesOf(...texts), new Map([[lineKey(before), [5, 9]]]))].map(([i, { at }]) => [i, at]),
  );

it.each([
  ["const a = load(one, two);", ["const a = load(", "  one,", "  two,", ");"]],
  ["  path, err := entry.Count(ctx, account)", ["path, err := entry.Count(", "\tctx,", "\taccount,", ")"]],
  ["return list.filter(isOld).map(nameOf);", ["return list", "  .filter(isOld)", "  .map(nameOf);"]],
  ["const isOld = age > limit && !isKept;", ["const isOld =", "  age > limit &&", "  !isKept;"]],
  ["const { a, b } = c;", ["const {", "  a,", "  b,", "} = c;"]],
])("the pieces of %s are of that line", (before, pieces) => {
  const found = unbroken(before, "first line", ...pieces, "last line");
  expect(found).toEqual(Object.fromEntries(pieces.map((_, i) => [i + 1, 5])));
});

it("a line that is still there was not broken", () => {
  expect(unbroken("load(one, two);", "load(one, two);", "load(", "  one,", "  two,", ");")).toEqual({});
});

it("lines are no pieces where another stands between them, or one is older than the change", () => {
  const lines = linesOf("load(", "  one,", "  two,", ");");
  const seen = new Map([[lineKey("load(one, two);"), [5]]]);
  const apart = lines.map((line, i) => (i > 1 ? { ...line, line: line.line + 1 } : line));
  expect(unbrokenLines(apart, seen)).toEqual(new Map());
  expect(
    unbrokenLines(
      lines.map((line, i) => ({ ...line, isAdded: i !== 1 })),
      seen,
    ),
  ).toEqual(new Map());
  expect(unbrokenLines(lines, seen).size).toBe(4);
});
