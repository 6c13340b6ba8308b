import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { measureContextSaving } from "./metrics.ts";

function projectOf(files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), "pommel-metrics-"));
  mkdirSync(join(root, "src"));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  return { root, files: Object.keys(files) };
}

const project = projectOf({
  "src/retry.ts": "// Retries the REQUEST.\nretry(request);\n",
  "src/client.ts": "send(request);\n",
  "src/long.ts": `retryRequest();\n${"x".repeat(382)}\n`,
  "src/picture.png": "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0retry request",
});

test("the baseline is the whole files that hold all the words, in any case and inside of other words", () => {
  const metrics = measureContextSaving(
    "how does it retry the request?",
    ["retry(request);", "a\nb"],
    project,
  );
  expect(metrics).toMatchObject({
    result_lines: 3,
    result_tokens: Math.ceil(18 / 4),
    baseline_words: ["retry", "request"],
    baseline_words_held: 2,
    baseline_files: 2,
    baseline_lines: 4,
    baseline_tokens: Math.ceil((40 + 399) / 4),
    saved_share: 0.9589,
  });
});

test("when no file holds all the words, those that hold the most", () => {
  const metrics = measureContextSaving("retry request backoff jitter", [], project);
  expect(metrics).toMatchObject({ baseline_words_held: 2, baseline_files: 2, saved_share: null });
  expect(measureContextSaving("request backoff", [], project)).toMatchObject({
    baseline_words_held: 1,
    baseline_files: 3,
  });
});

test("a search that grep cannot answer saves nothing, and results may be larger than the files", () => {
  expect(measureContextSaving("unicorn", ["anything"], project)).toMatchObject({
    baseline_words_held: 0,
    baseline_files: 0,
    baseline_tokens: 0,
    saved_share: null,
  });
  const metrics = measureContextSaving("send", ["x".repeat(30)], project);
  expect(metrics).toMatchObject({ baseline_files: 1, saved_share: -1 });
});

test("a deleted file is skipped", () => {
  const files = [...project.files, "src/gone.ts", "src"];
  expect(measureContextSaving("retry request", [], { ...project, files }).baseline_files).toBe(2);
});
