import { expect, it } from "vitest";
import { findMutants } from "./mutants.ts";

const source = `type Level = 1 | true;
export function keep(lines: string[], most: number) {
  if (lines.length < most && !lines.some(isOdd)) report("few", 2);
  return lines.length === 0 ? "none" + most : lines;
}
`;

it("finds what can be confused in a source, and leaves its types and texts", () => {
  const changed = findMutants("keep.ts", source).map(
    ({ start, end, text }) => `${source.slice(start, end)} -> ${text}`,
  );
  expect(changed.sort()).toEqual(
    [
      "< -> <=",
      "&& -> ||",
      "!lines.some(isOdd) -> lines.some(isOdd)",
      "some -> every",
      'report("few", 2); -> ;',
      "2 -> 3",
      "=== -> !==",
      "0 -> 1",
      "lines.length < most && !lines.some(isOdd) -> !(lines.length < most && !lines.some(isOdd))",
      "lines.length === 0 -> !(lines.length === 0)",
    ].sort(),
  );
});
