import { expect, it } from "vitest";
import { analyseQuery } from "../query.ts";
import { createPartCounter } from "../verbatim/part-counts.ts";
import { buildSoughtParts } from "./best-files.ts";

it.each([
  ["retry", "retries"],
  ["retries", "retried"],
  ["key", "key"],
  ["one", "one"],
  ["use cache", "use"],
  ["try", "try"],
  ["trying", "try"],
  ["id", "id"],
  ["configuration", "cfg"],
  ["withRetries", "withRetries"],
  ["重试次数", "次数"],
])("a question about %j looks for %j", (question, text) => {
  const counts = createPartCounter(buildSoughtParts(analyseQuery(question)))(Buffer.from(`a ${text} b`));
  expect(counts.some((count) => count > 0)).toBe(true);
});

it("short words are looked for as they are", () => {
  const counts = createPartCounter(buildSoughtParts(analyseQuery("id")))(Buffer.from("idea identity"));
  expect([...counts]).toEqual([0]);
});
