import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mineCommitPairs, toCommitPair } from "./commit-pairs.ts";

const indexed = new Map([
  ["src/http/retry.ts", "typescript"],
  ["src/http/client.ts", "typescript"],
  ["test/retry.test.ts", "typescript"],
  ["package.json", "json"],
]);

function targetsOf(files: string[], message = "Send failed requests again after a pause"): string[] | null {
  const pair = toCommitPair({ hash: "", author: "Ann", authoredAt: 0, message, files }, indexed);
  return pair?.targets.map(({ file }) => file) ?? null;
}

test("a commit's answers are the code files it changed that still exist", () => {
  expect(targetsOf(["src/http/retry.ts", "test/retry.test.ts", "package.json", "src/gone.ts"])).toEqual([
    "src/http/retry.ts",
  ]);
  expect(targetsOf(["src/http/retry.ts", "src/http/client.ts"])).toHaveLength(2);
});

test("commits without code, with too many files, or about tests give no question", () => {
  expect(targetsOf(["package.json"])).toBe(null);
  expect(targetsOf(["test/retry.test.ts"])).toBe(null);
  expect(targetsOf(["src/gone.ts"])).toBe(null);
  const many = Array.from({ length: 10 }, (_, i) => `src/gone${i}.ts`);
  expect(targetsOf(["src/http/retry.ts", ...many])).toBe(null);
  expect(targetsOf(["src/http/retry.ts"], "Make the tests of the retries faster")).toBe(null);
  expect(targetsOf(["src/http/retry.ts"], "wip")).toBe(null);
});

test("commit pairs report a missing git history", async () => {
  const dir = mkdtempSync(join(tmpdir(), "pommel-nogit-"));
  expect(await mineCommitPairs(dir, indexed, { seed: "a", count: 9 })).toEqual({
    pairs: [],
    problem: expect.stringMatching(/ is not a git repository$/),
  });
});
