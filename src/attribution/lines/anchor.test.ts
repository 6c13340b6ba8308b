import { expect, it } from "vitest";
import { findAnchor, makeAnchor } from "./anchor.ts";

const path = "src/retry.ts";
const code = `import { sleep } from "./sleep.ts";

/** Calls a function again until it works. */
export async function retry(call: () => Promise<void>, times: number) {
  for (let i = 0; i < times; i++) {
    try {
      return await call();
    } catch (error) {
      if (i === times - 1) throw error;
      await sleep(100 * 2 ** i);
    }
  }
}

export function forever(call: () => void) {
  while (true) call();
}
`.split("\n");

const sleepLine = code.findIndex((line) => line.includes("sleep(100")) + 1;
const anchor = makeAnchor(path, code, { firstLine: sleepLine, lastLine: sleepLine });

const find = (texts: readonly string[], where = path, of = anchor) => findAnchor(of, where, texts);

it("finds lines where they are", () => {
  expect(find(code)).toEqual({ firstLine: sleepLine, lastLine: sleepLine, isChanged: false });
});

it("follows lines that others pushed down, and that a formatter touched", () => {
  const pushed = ["// A licence.", "", ...code].map((line) => line.replace(/^ +/, (all) => all + all));
  expect(find(pushed)).toEqual({ firstLine: sleepLine + 2, lastLine: sleepLine + 2, isChanged: false });
});

it("follows a function to the other end of its file, and to another file", () => {
  const moved = [...code.slice(14), ...code.slice(2, 13)];
  expect(moved[find(moved)!.firstLine - 1]).toContain("sleep(100");
  expect(find(["const other = 1;", ...code.slice(2, 13)], "src/other.ts")).toMatchObject({
    firstLine: sleepLine - 1,
  });
});

it("says that a line has another text", () => {
  const edited = code.map((line) => line.replace("100 * 2 ** i", "backoff(i)"));
  expect(find(edited)).toEqual({ firstLine: sleepLine, lastLine: sleepLine, isChanged: true });
});

it("says that some of several lines have another text", () => {
  const several = makeAnchor(path, code, { firstLine: sleepLine - 1, lastLine: sleepLine });
  const edited = code.map((line) => line.replace("100 * 2 ** i", "backoff(i)"));
  expect(find(edited, path, several)).toMatchObject({ firstLine: sleepLine - 1, isChanged: true });
});

it("says that a line is gone", () => {
  expect(find(code.filter((_, i) => i !== sleepLine - 1))).toBeNull();
  expect(find(["export const nothing = 1;"])).toBeNull();
  expect(find([])).toBeNull();
});

it("a bracket is found between its neighbours only", () => {
  const bracket = makeAnchor(path, code, { firstLine: 12, lastLine: 12 });
  expect(find(["// Above.", ...code], path, bracket)).toMatchObject({ firstLine: 13, isChanged: false });
  expect(find(["if (a) {", "  }", "}"], path, bracket)).toBeNull();
});

it("does not take a twin for a line that is gone", () => {
  const body = code.slice(4, 13);
  const between = (name: string) =>
    Array.from({ length: 20 }, (_, i) => `const ${name}${i} = await load(${i});`);
  const twins = [...between("first"), ...body, ...between("second"), ...body, ...between("third")];
  const line = twins.findLastIndex((text) => text.includes("sleep(100")) + 1;
  const of = makeAnchor(path, twins, { firstLine: line, lastLine: line });
  expect(find(["// Above.", ...twins], path, of)).toMatchObject({ firstLine: line + 1, isChanged: false });
  const oneLeft = [...between("first"), ...body, ...between("second"), ...between("third")];
  expect(find(oneLeft, path, of)).toBeNull();
  expect(find(oneLeft, path, { ...of, isRepeated: false })).not.toBeNull();
});
