import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callPm, runPm, temporaryDir, temporaryRepository } from "./run-pm.ts";

const cache = `/** Throws away the pages nobody asked for lately. */
export function evictStale(store, limit) {
  for (const [key, used] of store) {
    if (used < limit) store.delete(key);
  }
}
`;

function repositoryWithHistory(): string {
  const dir = temporaryRepository();
  mkdirSync(join(dir, "src"));
  writeFileSync(join(dir, "src/cache.js"), cache);
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", dir, "-c", "user.name=Ann", "-c", "user.email=a@b.c", ...args], {
      stdio: "pipe",
    });
  git("add", "--all");
  git("commit", "--quiet", "--message", "Evict stale keys from the store");
  return dir;
}

describe("pm models bench", () => {
  it("measures a repository that was never initialised, and leaves no trace in it", async () => {
    const cwd = repositoryWithHistory();
    const temporary = temporaryDir();
    const { code, stdout } = await callPm(["bench", "--json"], {
      cwd,
      env: { TMPDIR: temporary, POMMEL_EMBED_CODE: "none" },
    });
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ root: cwd, files: 1, model: null });
    expect(report.kinds).toMatchObject([
      { kind: "doc_to_function", queries: 1, modes: { lexical: { queries: 1, r10: 0 } } },
      { kind: "commit_to_files", queries: 1, modes: { lexical: { queries: 1, mrr: 1, r1: 1 } } },
    ]);
    expect(report.kinds[0]).not.toHaveProperty("misses");
    expect(readdirSync(cwd).sort()).toEqual([".git", "src"]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("prints tables and, when asked, what was missed", async () => {
    const cwd = repositoryWithHistory();
    const { code, stdout } = await callPm(["bench", "--misses"], { cwd, env: { POMMEL_EMBED_CODE: "none" } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^lexical +0\.000 +0\.000/m);
    expect(stdout).toMatch(/^lexical +1\.000 +1\.000/m);
    expect(stdout).toContain('"Throws away the pages nobody asked for lately"\n    not in the top ten');
    expect(stdout).toContain("Too few questions to compare modes.");
  });

  it("says when there is nothing to ask", async () => {
    const cwd = temporaryDir();
    writeFileSync(join(cwd, "a.js"), "export const one = 1;\n");
    const { code, stderr } = await callPm(["bench"], { cwd });
    expect(code).toBe(5);
    expect(stderr).toContain("error: No questions to measure with: no more functions have a doc comment");
    expect(stderr).toContain("is not a git repository");
  });

  it("sends nothing to another machine by default", async () => {
    const cwd = repositoryWithHistory();
    const { code, stderr } = await callPm(["bench", "--json"], {
      cwd,
      env: { POMMEL_EMBED_CODE: "openai/x" },
    });
    expect(code).toBe(0);
    expect(stderr).toContain("openai/x is not on this machine: measured with the bundled model instead.");
    const named = await callPm(["bench", "--model", "none"], { cwd, env: { POMMEL_EMBED_CODE: "openai/x" } });
    expect(named.stderr).not.toContain("is not on this machine");
    expect(await callPm(["bench", "--model", "word2vec"], { cwd })).toMatchObject({ code: 2 });
  });

  it("takes a number of questions only", async () => {
    expect(await runPm(["bench", "--queries", "many"])).toMatchObject({ code: 2 });
  });
});
