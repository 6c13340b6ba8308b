import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mineCommitPairs, pairOfCommit } from "./commit-pairs.ts";

const indexed = new Map([
  ["src/http/retry.ts", "typescript"],
  ["src/http/client.ts", "typescript"],
  ["test/retry.test.ts", "typescript"],
  ["package.json", "json"],
]);

function targetsOf(files: string[], message = "Send failed requests again after a pause"): string[] | null {
  const pair = pairOfCommit({ hash: "", author: "Ann", message, files }, indexed);
  return pair?.targets.map(({ file }) => file) ?? null;
}

test("the answers are the code a commit changed, as far as it is still there", () => {
  expect(targetsOf(["src/http/retry.ts", "test/retry.test.ts", "package.json", "src/gone.ts"])).toEqual([
    "src/http/retry.ts",
  ]);
  expect(targetsOf(["src/http/retry.ts", "src/http/client.ts"])).toHaveLength(2);
});

test("commits to no code, to too much, or about tests make no question", () => {
  expect(targetsOf(["package.json"])).toBe(null);
  expect(targetsOf(["test/retry.test.ts"])).toBe(null);
  expect(targetsOf(["src/gone.ts"])).toBe(null);
  const many = Array.from({ length: 10 }, (_, i) => `src/gone${i}.ts`);
  expect(targetsOf(["src/http/retry.ts", ...many])).toBe(null);
  expect(targetsOf(["src/http/retry.ts"], "Make the tests of the retries faster")).toBe(null);
  expect(targetsOf(["src/http/retry.ts"], "wip")).toBe(null);
});

test("says why there are none without git history", async () => {
  const dir = mkdtempSync(join(tmpdir(), "pommel-nogit-"));
  expect(await mineCommitPairs(dir, indexed, { seed: "a", count: 9 })).toEqual({
    pairs: [],
    problem: "there is no git history here",
  });
});
