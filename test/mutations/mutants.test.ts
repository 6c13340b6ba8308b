import { expect, it } from "vitest";
import { findMutants, holdMutants, pickApart } from "./mutants.ts";

const source = `type Level = 1 | true;
export function keep(lines: string[], most: number) {
  if (lines.length < most && !lines?.some(isOdd)) report({ 7: "few" }, 2);
  return lines.length === 0 ? "none" + most : lines;
}
`;

it("finds what can be confused in a source, and leaves its types, texts and names of properties", () => {
  const changed = findMutants("keep.ts", source).map(
    ({ start, end, text }) => `${source.slice(start, end)} -> ${text}`,
  );
  expect(changed.sort()).toEqual(
    [
      "lines.length < most -> (lines.length) <= (most)",
      "lines.length < most && !lines?.some(isOdd) -> (lines.length < most) || (!lines?.some(isOdd))",
      "lines.length < most && !lines?.some(isOdd) -> !(lines.length < most && !lines?.some(isOdd))",
      "!lines?.some(isOdd) -> lines?.some(isOdd)",
      "?.some -> ?.every",
      'report({ 7: "few" }, 2); -> ;',
      "2 -> 3",
      "lines.length === 0 -> (lines.length) !== (0)",
      "lines.length === 0 -> !(lines.length === 0)",
      "0 -> 1",
    ].sort(),
  );
});

it("a source holds several changes, of which one is in force", () => {
  const code = "if (list.some((n) => n > 2)) add(10); else add(20);";
  const mutants = findMutants("code.ts", code).filter(
    ({ kind, text }) => kind !== "expression" || text === "(n) >= (2)" || text === "21",
  );
  const apart = pickApart(mutants, 10).map((mutant, id) => ({ ...mutant, id }));
  const held = holdMutants(code, apart);
  const run = (active: number | undefined, list: number[]) => {
    Object.assign(globalThis, { activeMutant: active });
    const sum: number[] = [];
    new Function("list", "add", held)(list, (n: number) => sum.push(n));
    Object.assign(globalThis, { activeMutant: undefined });
    return sum;
  };
  const find = (text: string) => apart.find((one) => one.text.includes(text))!.id;
  expect(run(undefined, [1, 3])).toEqual([10]);
  expect(run(undefined, [1, 2])).toEqual([20]);
  expect(run(find(">="), [1, 2])).toEqual([10]);
  expect(run(find("every"), [1, 3])).toEqual([20]);
  expect(run(find(";"), [1, 3])).toEqual([]);
});
