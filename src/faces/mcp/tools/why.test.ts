import { expect, it } from "vitest";
import type { WhyAnswer, WhyCaller } from "../../../features/why/operation.ts";
import { readArguments } from "../server/call-tool.ts";
import { whyInput } from "../shapes/shapes-git.ts";
import { theLines } from "./why.ts";

const caller = (number: number, changed_by: WhyCaller["changed_by"]): WhyCaller => ({
  ...{
    file: `src/${"deep/".repeat(9)}${number}.ts`,
    name: `caller${number}`,
    kind: "function",
    parent: null,
  },
  ...{ line: number, end_line: number + 5, how: "call", lines: [number + 2], changed_by },
  ...{ confidence: number > 1 ? "ambiguous" : "resolved", candidates: number },
});

const answer: WhyAnswer = {
  ...{ file: "src/retry.ts", first_line: 1, last_line: 1, text: ["export function retry() {"] },
  ...{ origins: [], decisions: [], earlier: [], later: null, notes: [] },
  freshness: {
    ...{ state: "stands", branches: [], reverted_by: null, lines_added: null, lines_surviving: null },
    later_decisions: [],
  },
  used_by: {
    edges: [
      caller(1, { hash: "0123456789abcdef", subject: "Wait longer", authored_at: null }),
      ...[2, 3, 4, 5].map((number) => caller(number, null)),
    ],
    total: 7,
  },
};

const asked = (args: object) =>
  theLines(answer, readArguments("why", whyInput, { file: "src/retry.ts:1", ...args }));

it("says what calls the lines, how sure that is, and what changed there since", () => {
  const { structured, text } = asked({});
  expect(structured.used_by[0]).toMatch(/^caller1 src\/.*1\.ts:1, changed since: 01234567 "Wait longer"$/);
  expect(structured.used_by[1]).toMatch(/^caller2 .* \(1 of 2\)$/);
  expect(structured.used_by.at(-1)).toBe("2 more");
  expect(text).toContain("Used by: caller1 src/");
});

it("counts the callers for which there is no room", () => {
  const { structured } = asked({ max_tokens: 500 });
  expect(JSON.stringify(structured).length).toBeLessThanOrEqual(2000);
  expect(structured.used_by).toHaveLength(4);
  expect(structured.used_by.at(-1)).toBe("4 more");
});

it("says nothing about callers where they are not known", () => {
  const { structured, text } = theLines(
    { ...answer, used_by: null },
    readArguments("why", whyInput, { file: "a:1" }),
  );
  expect(structured.used_by).toEqual([]);
  expect(text).not.toContain("Used by");
});
