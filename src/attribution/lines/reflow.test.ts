import fc from "fast-check";
import { expect, it } from "vitest";
import { linesOfFile } from "../../../test/support/attribution-fixture.ts";
import { computeLineKey, stripFormatting } from "./line-keys.ts";
import { findUnbrokenLines, LooseText, matchReflowedLines } from "./reflow.ts";

/** Numbers of the lines that a text holds, each with the text. All lines of the file are open. */
function found(file: readonly string[], ...texts: string[][]) {
  const lines = linesOfFile(file.map((line) => `+${line}`));
  const bare = texts.map((text, of) => ({
    of,
    text: new LooseText(text.map(stripFormatting).filter(Boolean)),
  }));
  const open = lines.map((_, i) => i);
  return [...matchReflowedLines(lines, open, bare)]
    .map(([i, of]) => [lines[i]!.line, of])
    .sort(([a], [b]) => a! - b!);
}

const joined = "const result = await fetchEverything(first, second, third);";
const split = ["const result = await fetchEverything(", "  first,", "  second,", "  third,", ");"];

it("a call that was broken into lines", () => {
  expect(found(split, [joined])).toEqual([1, 2, 3, 4].map((line) => [line, 0]).concat([[5, 0]]));
});

it("a call whose lines were joined", () => {
  expect(found([joined], split)).toEqual([[1, 0]]);
});

it("a chain that was broken, with other quotes and parentheses around it", () => {
  const file = ["return (", '  list.filter((each) => each !== "x")', "    .map(nameOf)", ");"];
  expect(found(file, ["return list.filter(each => each !== 'x').map(nameOf)"]).map(([line]) => line)).toEqual(
    [1, 2, 3, 4],
  );
});

it("white space added to a text, or removed, does not hide its lines", () => {
  const word = fc.stringMatching(/^[a-z]{4,9}$/);
  const sentence = fc.uniqueArray(word, { minLength: 6, maxLength: 14 });
  fc.assert(
    fc.property(sentence, fc.array(fc.boolean(), { minLength: 14, maxLength: 14 }), (words, breaks) => {
      const lines: string[] = [""];
      for (const [i, each] of words.entries()) {
        if (breaks[i] && i > 0) lines.push(each);
        else lines[lines.length - 1] += ` ${each}`;
      }
      // Where nothing was broken the whole line is the same, and no business of this.
      fc.pre(lines.length > 1);
      expect(found(lines, [words.join(" ")]).map(([line]) => line)).toEqual(lines.map((_, i) => i + 1));
      expect(found([words.join(" ")], lines)).toEqual([[1, 0]]);
    }),
  );
});

it("equal whole lines are equal by chance", () => {
  expect(found(["return everythingThatIsThere;"], ["first();", "return everythingThatIsThere;"])).toEqual([]);
  const two = ["const one = makeItSo();", "const two = makeItSo();"];
  expect(found(two, [...two, "more();"])).toEqual([]);
});

it("a few characters have no author", () => {
  expect(found(["if (a) {", "b();"], ["if (a) { b(); }"])).toEqual([]);
  expect(found(["first"], [joined])).toEqual([]);
});

it("lines that do not follow each other in the text are not found", () => {
  expect(found(["third, second,", "first, fetchEverything"], [joined])).toEqual([]);
});

it("of several writers the last", () => {
  expect(found([joined], split, ["unrelated();"], split)).toEqual([[1, 2]]);
});

it("lines that are not open are left alone, and end their run", () => {
  const lines = linesOfFile(split.map((line) => `+${line}`));
  const texts = [{ of: "it", text: new LooseText([stripFormatting(joined)]) }];
  expect([...matchReflowedLines(lines, [0, 1, 3, 4], texts).keys()]).toEqual([0, 1]);
  expect(matchReflowedLines(lines, [], texts).size).toBe(0);
});

it("a text that was searched often holds what it held at first", () => {
  const text = new LooseText(
    Array.from({ length: 200 }, (_, i) => `const value${i} = compute(${i * 7919}, "${i}")`).map(
      stripFormatting,
    ),
  );
  const search = (line: string) => {
    // The text has the line's characters in two lines.
    const lines = linesOfFile([`+${line}`]);
    return matchReflowedLines(lines, [0], [{ of: "it", text }]).has(0);
  };
  for (let i = 0; i + 1 < 200; i++) {
    const joint = [i, i + 1].map((n) => `const value${n} = compute(${n * 7919}, "${n}")`).join(" ");
    expect(search(joint)).toBe(true);
    expect(search(`${joint} elsewhere`)).toBe(false);
    expect(search(`somewhere ${joint}`)).toBe(false);
  }
});

const addedLines = (...texts: string[]) => linesOfFile(texts.map((text) => `+${text}`));
const unbroken = (before: string, ...texts: string[]) =>
  Object.fromEntries(
    [...findUnbrokenLines(addedLines(...texts), new Map([[computeLineKey(before), [5, 9]]]))].map(
      ([i, { at }]) => [i, at],
    ),
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
  const lines = addedLines("load(", "  one,", "  two,", ");");
  const seen = new Map([[computeLineKey("load(one, two);"), [5]]]);
  const apart = lines.map((line, i) => (i > 1 ? { ...line, line: line.line + 1 } : line));
  expect(findUnbrokenLines(apart, seen)).toEqual(new Map());
  expect(
    findUnbrokenLines(
      lines.map((line, i) => ({ ...line, isAdded: i !== 1 })),
      seen,
    ),
  ).toEqual(new Map());
  expect(findUnbrokenLines(lines, seen).size).toBe(4);
});
