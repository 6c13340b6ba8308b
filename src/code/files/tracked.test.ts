import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryGit } from "../../../test/support/repository-fixture.ts";
import { makeDefaultConfig } from "../../base/config/settings.ts";
import { readGitDir } from "../../base/paths.ts";
import { createIgnoreRules } from "./ignore.ts";
import { readTrackedFiles } from "./tracked.ts";

let repository: ReturnType<typeof temporaryGit>;
beforeEach(() => {
  repository = temporaryGit();
  repository.commit("begin", { "src/types/store.ts": "1", "src/ünï/a b.ts": "2", "b.ts": "3" });
});
afterEach(() => rmSync(repository.dir, { recursive: true, force: true }));

const expected = ["b.ts", "src/types/store.ts", "src/ünï/a b.ts"];

it.each(["2", "3", "4"])("reads an index of version %s", (version) => {
  repository.git("update-index", "--index-version", version);
  const { files, directories } = readTrackedFiles(join(repository.dir, ".git"));
  expect([...files].sort()).toEqual(expected);
  expect([...directories].sort()).toEqual(["src", "src/types", "src/ünï"]);
});

it("reads entries with further flags, and an index that is split", () => {
  writeFileSync(join(repository.dir, "new.ts"), "4");
  repository.git("add", "--intent-to-add", "new.ts");
  expect([...readTrackedFiles(join(repository.dir, ".git")).files].sort()).toEqual(
    [...expected, "new.ts"].sort(),
  );
  repository.git("update-index", "--split-index");
  expect([...readTrackedFiles(join(repository.dir, ".git")).files].sort()).toEqual(
    [...expected, "new.ts"].sort(),
  );
});

it("reads the index of a linked worktree where hashes are longer", () => {
  const long = temporaryGit(undefined, ["--object-format=sha256"]);
  const linked = `${long.dir}-linked`;
  try {
    long.commit("begin", { "src/store.ts": "1", "b.ts": "2" });
    long.git("worktree", "add", "--quiet", linked);
    expect([...readTrackedFiles(readGitDir(linked)).files].sort()).toEqual(["b.ts", "src/store.ts"]);
  } finally {
    long.remove();
    rmSync(linked, { recursive: true, force: true });
  }
});

it("takes what it cannot read for nothing tracked", () => {
  expect(readTrackedFiles(null).files.size).toBe(0);
  writeFileSync(join(repository.dir, ".git/index"), "DIRC\0\0");
  expect(readTrackedFiles(join(repository.dir, ".git")).files.size).toBe(0);
});

it("keeps git's rules off what git tracks, but not off what lies beside it", () => {
  writeFileSync(join(repository.dir, ".gitignore"), "types\n");
  mkdirSync(join(repository.dir, "lib/types"), { recursive: true });
  const rules = createIgnoreRules(repository.dir, makeDefaultConfig());
  expect(rules.check("src/types", true)).toBeNull();
  expect(rules.check("src/types/store.ts", false)).toBeNull();
  expect(rules.check("src/types/untracked.ts", false)).toBe("ignored");
  expect(rules.check("lib/types", true)).toBe("ignored");
  writeFileSync(join(repository.dir, ".pommelignore"), "src/types/\n");
  rules.reload();
  expect(rules.check("src/types/store.ts", false)).toBe("ignored");
});
