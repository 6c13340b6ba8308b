import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryGit } from "../../../../test/support/repository-fixture.ts";
import { makeDefaultConfig } from "../../../base/config/settings.ts";
import { createIgnoreRules } from "../../files/ignore.ts";
import { readTrackedEntries } from "../../files/tracked.ts";
import { scanTree } from "./scan-tree.ts";
import { listWorkingTree } from "./working-tree.ts";

const words = [
  { text: "retr", isWhole: false },
  { text: "db", isWhole: true },
  { text: "größ", isWhole: false },
];
let repository: ReturnType<typeof temporaryGit>;
beforeEach(() => {
  repository = temporaryGit();
  repository.commit("begin", {
    ".gitignore": "ignored/\nbuilt.ts\n",
    "src/retry.ts": "export const first = 1;\n",
    "src/again.ts": "const maxRetries = 3; // RETRY\n",
    "src/ünï/a b.ts": "Größe der db\n",
    "src/debug.ts": "debug(1);\n",
    "src/gone.ts": "retry\n",
    "src/changed.ts": "nothing\n",
    "test/again.test.ts": "it('retries', () => {});\n",
    "logo.png": "retry\0retry",
    "yarn.lock": "retry retry",
    ".env": "RETRY=1",
    "node_modules/x/index.js": "retry",
  });
  rmSync(join(repository.dir, "src/gone.ts"));
  write({
    "src/changed.ts": "retry, and the database\n",
    "src/new.ts": "retried\n",
    "ignored/retry.ts": "retry\n",
    "built.ts": "retry\n",
  });
});
afterEach(() => rmSync(repository.dir, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repository.dir, path)), { recursive: true });
    writeFileSync(join(repository.dir, path), text);
  }
}

const tracked = () => readTrackedEntries(join(repository.dir, ".git"));
const rules = () => createIgnoreRules(repository.dir, makeDefaultConfig());
const list = (limitMs: number, sought = words) =>
  listWorkingTree(repository.dir, rules(), tracked(), sought, { limitMs });

/** What a scan has found, by path. */
async function count(entries = tracked()) {
  const { files, ...rest } = await scanTree(repository.dir, rules(), words, {
    tracked: entries,
    maxFileSize: 1000,
  });
  const found = files.flatMap(({ path, size, counts }) =>
    counts === null ? [] : [{ path, size, text: [...counts.text], named: [...counts.path] }],
  );
  return { ...rest, found: found.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

it("finds with git what a walk through the directories finds", async () => {
  const { found, isCut } = await count();
  expect(found).toEqual((await count([])).found);
  expect(found.map(({ path }) => path)).toEqual([
    "src/again.ts",
    "src/changed.ts",
    "src/new.ts",
    "src/retry.ts",
    "src/ünï/a b.ts",
    "test/again.test.ts",
  ]);
  expect(isCut).toBe(false);
});

it("lists first what may have a word, sources before tests", async () => {
  const { files } = (await list(60_000))!;
  const paths = files.map(({ stamp }) => stamp.path);
  expect(paths.indexOf("src/again.ts")).toBeLessThan(paths.indexOf("test/again.test.ts"));
  const others = files.filter(({ mayHold }) => !mayHold).map(({ stamp }) => stamp.path);
  // Those that are never indexed have their words as well: they are looked at later.
  expect(others.sort()).toEqual([".gitignore", "logo.png", "src/debug.ts", "src/gone.ts"]);
  expect(paths.slice(-4).sort()).toEqual(others);
  const none = (await list(60_000, [{ text: "nowhere", isWhole: false }]))!;
  expect(none.files.filter(({ mayHold }) => mayHold).map(({ stamp }) => stamp.path)).toEqual(["src/new.ts"]);
});

it("looks into repositories inside, tracked as submodules or not", async () => {
  const inner = join(repository.dir, "inner");
  repository.git("init", "--quiet", inner);
  write({ "inner/src/retry.ts": "retry\n" });
  repository.git("-C", inner, "add", ".");
  const author = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
  repository.git("-C", inner, ...author, "commit", "--quiet", "-m", "begin");
  expect((await count()).found).toEqual((await count([])).found);
  repository.git("add", "inner");
  expect(tracked().filter(({ isRepository }) => isRepository)).toMatchObject([{ path: "inner" }]);
  const { found } = await count();
  expect(found).toEqual((await count([])).found);
  expect(found.map(({ path }) => path)).toContain("inner/src/retry.ts");
});

it("leaves to a walk what git cannot tell: rules of one's own, no index, no repository", async () => {
  expect(await listWorkingTree(repository.dir, rules(), [], words, { limitMs: 60_000 })).toBeNull();
  const entries = tracked();
  rmSync(join(repository.dir, ".git/HEAD"));
  expect(await listWorkingTree(repository.dir, rules(), entries, words, { limitMs: 60_000 })).toBeNull();
  repository.git("init", "--quiet");
  write({ "src/.pommelignore": "!built.ts\n", ".pommelignore": "!ignored/\n" });
  expect(await list(60_000)).toBeNull();
  expect((await count()).found.map(({ path }) => path)).toContain("ignored/retry.ts");
  rmSync(join(repository.dir, ".pommelignore"));
  expect(await list(60_000)).toBeNull();
});

it("takes for possible what git had no time to look at", async () => {
  const { files, isCut } = (await list(-1))!;
  expect(isCut).toBe(true);
  expect(files.every(({ mayHold }) => mayHold)).toBe(true);
  const signal = AbortSignal.abort(new Error("nobody waits"));
  const options = { limitMs: 60_000, signal };
  await expect(listWorkingTree(repository.dir, rules(), tracked(), words, options)).rejects.toThrow(
    "nobody waits",
  );
});
