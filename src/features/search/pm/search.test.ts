import { expect, test } from "vitest";
import { renderMetrics } from "./search.ts";

const metrics = {
  result_lines: 120,
  result_tokens: 1200,
  baseline_words: ["retry", "request"],
  baseline_words_held: 2,
  baseline_files: 4,
  baseline_lines: 2410,
  baseline_tokens: 24_000,
  saved_share: 0.95,
  method: "",
};

test("says what the results are, what grep leads to, and what is saved", () => {
  expect(renderMetrics(metrics)).toBe(
    "The results are 120 lines, about 1,200 tokens.\n" +
      'The 4 files that hold "retry", "request": 2,410 lines, about 24,000 tokens. That is 95 % saved.',
  );
});

test("never claims to have saved everything", () => {
  expect(renderMetrics({ ...metrics, saved_share: 0.9999 })).toContain("That is 99.9 % saved.");
});

test("says when no file holds all the words, when nothing is saved, and when grep finds nothing", () => {
  const fewer = { ...metrics, baseline_words_held: 1, baseline_files: 1, saved_share: -0.5 };
  expect(renderMetrics(fewer)).toContain('The 1 file that holds 1 of "retry", "request"; none holds more: ');
  expect(renderMetrics(fewer)).toContain("The results are 50 % more than that.");
  expect(renderMetrics({ ...metrics, baseline_files: 0, saved_share: null })).toContain(
    "grep would find nothing",
  );
});
