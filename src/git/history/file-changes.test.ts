import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newRepository } from "../../../test/support/repository-fixture.ts";
import { recentChangesOf } from "./file-changes.ts";

it("gives what each commit did to a file, the latest first", async () => {
  const { dir, commit } = newRepository();
  const one = commit("one", { "a.ts": "a\n--b\n", "b.ts": "b\n" });
  commit("two", { "b.ts": "c\n" });
  const three = commit("three: ü", { "a.ts": "a\n++c\n@@ d\n" });
  expect(await recentChangesOf(dir, "a.ts")).toMatchObject([
    { hash: three, subject: "three: ü", removed: ["--b"], added: ["++c", "@@ d"] },
    { hash: one, subject: "one", removed: [], added: ["a", "--b"] },
  ]);
  expect((await recentChangesOf(dir, "a.ts", one)).map(({ hash }) => hash)).toEqual([one]);
});

it("knows nothing outside of a repository", async () => {
  expect(await recentChangesOf(mkdtempSync(join(tmpdir(), "pommel-none-")), "a.ts")).toEqual([]);
});
