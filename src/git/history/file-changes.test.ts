import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { newRepository, temporaryGit } from "../../../test/support/repository-fixture.ts";
import { findFormerNames, readRecentChanges } from "./file-changes.ts";

it("gives what each commit did to a file, the latest first", async () => {
  const { dir, commit } = newRepository();
  const one = commit("one", { "a.ts": "a\n--b\n", "b.ts": "b\n" });
  commit("two", { "b.ts": "c\n" });
  const three = commit("three: ü", { "a.ts": "a\n++c\n@@ d\n" });
  expect(await readRecentChanges(dir, "a.ts")).toMatchObject([
    { hash: three, subject: "three: ü", removed: ["--b"], added: ["++c", "@@ d"] },
    { hash: one, subject: "one", removed: [], added: ["a", "--b"] },
  ]);
  expect((await readRecentChanges(dir, "a.ts", one)).map(({ hash }) => hash)).toEqual([one]);
});

it("knows nothing outside of a repository", async () => {
  expect(await readRecentChanges(mkdtempSync(join(tmpdir(), "pommel-none-")), "a.ts")).toEqual([]);
});

let git: ReturnType<typeof temporaryGit>;
beforeEach(() => {
  git = temporaryGit();
});
afterEach(() => git.remove());

const text = Array.from({ length: 20 }, (_, i) => `line ${i}\n`).join("");
const named = async (paths: string[], dir = git.dir, signal = new AbortController().signal) =>
  Object.fromEntries(await findFormerNames(dir, paths, signal));
const at = (minutes: number) => (1_700_000_000 + 60 * minutes) * 1000;

it("the former names of a file are those before each rename, committed or not", async () => {
  git.commit("one", { "src/a.ts": text, "other.ts": "x\n" });
  git.commit("two", { "src/a.ts": null, "src/new\nline é.ts": text });
  git.commit("three", { "src/new\nline é.ts": null, "b.ts": `${text}more\n` });
  const committed = [
    { path: "src/new\nline é.ts", until: at(3) },
    { path: "src/a.ts", until: at(2) },
  ];
  expect(await named(["b.ts", "other.ts", "src", "gone.ts"])).toEqual({ "b.ts": committed });
  git.git("mv", "b.ts", "c.ts");
  expect(await named(["c.ts"])).toEqual({ "c.ts": [{ path: "b.ts", until: null }, ...committed] });
});

it("a part of a repository has only the names inside of it", async () => {
  git.commit("one", { "lib/a.ts": text, "top.ts": `top\n${text}` });
  git.commit("two", { "lib/a.ts": null, "lib/b.ts": text, "top.ts": null, "lib/top.ts": `top\n${text}` });
  expect(await named(["b.ts", "top.ts"], join(git.dir, "lib"))).toEqual({
    "b.ts": [{ path: "a.ts", until: at(2) }],
  });
});

it("without a history, or time, there are none", async () => {
  git.write({ "a.ts": text });
  expect(await named(["a.ts"])).toEqual({});
  git.commit("one", { "a.ts": text });
  git.commit("two", { "a.ts": null, "b.ts": text });
  expect(await named(["b.ts"], git.dir, AbortSignal.abort())).toEqual({});
});
