import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { callPm, temporaryDir } from "./run-pm.ts";

let cwd: string;

beforeAll(async () => {
  cwd = temporaryDir();
  mkdirSync(join(cwd, "src"));
  const retry = "export function retryRequest(send) {\n  for (let i = 0; i < 3; i++) send();\n}\n";
  writeFileSync(join(cwd, "src/retry.js"), `${retry}\n${"// filler\n".repeat(100)}`);
  writeFileSync(join(cwd, "src/other.js"), "export const retry = 1;\n");
  await callPm(["init"], { cwd });
  expect(await callPm(["reindex"], { cwd })).toMatchObject({ code: 0 });
});

describe("pm search --metrics", () => {
  it("adds to the answer what the results are, and what grep would lead to", async () => {
    const { stdout } = await callPm(
      ["search", "code", "retry request", "--level", "method", "--metrics", "--json"],
      { cwd },
    );
    const { results, metrics } = JSON.parse(stdout);
    expect(results).toHaveLength(1);
    expect(metrics).toMatchObject({
      result_lines: 3,
      baseline_words: ["retry", "request"],
      baseline_files: 1,
      baseline_lines: 104,
    });
    expect(metrics.saved_share).toBeGreaterThan(0.8);
  });

  it("looks for the baseline where the search did", async () => {
    const args = ["search", "code", "retry", "--path", "src/other.js", "--metrics", "--json"];
    expect(JSON.parse((await callPm(args, { cwd })).stdout).metrics).toMatchObject({
      baseline_files: 1,
      baseline_lines: 1,
    });
  });

  it("says it in a sentence, and nothing without the flag", async () => {
    const { stdout } = await callPm(["search", "retry request", "--metrics"], { cwd });
    expect(stdout).toMatch(
      /^The results are \d+ lines?, about \d+ tokens\.\nThe 1 file that holds "retry", "request": /m,
    );
    const { stdout: without } = await callPm(["search", "code", "retry", "--json"], { cwd });
    expect(JSON.parse(without)).not.toHaveProperty("metrics");
  });
});
