import fc from "fast-check";
import { expect, test } from "vitest";
import { structuredPatch } from "./agent.ts";
import { differences, human, mergeLines, newLines, sameText, textsOf } from "./lines.ts";

const texts = fc.array(fc.constantFrom("a", "b", "}", "", "c d"), { maxLength: 12 });
const linesOf = (of: readonly string[]) => newLines(of, human, "typed");

test("differences lead from one version to the other", () => {
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      const made: string[] = [];
      let at = 0;
      for (const difference of differences(a, b, sameText)) {
        made.push(...a.slice(at, difference.a[0]), ...b.slice(...difference.b));
        at = difference.a[1];
      }
      expect([...made, ...a.slice(at)]).toEqual(b);
    }),
  );
});

test("a structured patch contains its context, and applies where it claims", () => {
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      const made: string[] = [];
      let at = 0;
      for (const { oldStart, oldLines, newStart, newLines: count, lines } of structuredPatch(
        linesOf(a),
        linesOf(b),
      )) {
        made.push(...a.slice(at, oldStart - 1));
        expect(newStart).toBe(made.length + 1);
        const side = (without: string) =>
          lines.filter((line) => line[0] !== without).map((line) => line.slice(1));
        expect(side("+")).toEqual(a.slice(oldStart - 1, oldStart - 1 + oldLines));
        expect(side("-")).toHaveLength(count);
        made.push(...side("-"));
        at = oldStart - 1 + oldLines;
      }
      expect([...made, ...a.slice(at)]).toEqual(b);
    }),
  );
});

test("changes of two sides in different places are merged, with their writers", () => {
  const base = linesOf(["one", "two", "three", "four", "five"]);
  const ours = base.with(0, linesOf(["ONE"])[0]!);
  const theirs = [...base.slice(0, 3), ...linesOf(["between"]), ...base.slice(3)];
  const merged = mergeLines(base, ours, theirs)!;
  expect(textsOf(merged)).toEqual(["ONE", "two", "three", "between", "four", "five"]);
  expect(merged[0]).toBe(ours[0]);
  expect(merged[3]).toBe(theirs[3]);
  expect(mergeLines(base, ours, base.with(0, linesOf(["uno"])[0]!))).toBeNull();
});
