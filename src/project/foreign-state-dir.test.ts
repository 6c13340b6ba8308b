import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PommelError } from "./errors.ts";
import { findProject, gitProjectOf, projectAround, projectAt } from "./paths.ts";
import { createStateDir } from "./state-dir.ts";

/** A `.pommel/` that came with a repository, or that another user put in a directory for all. */

let base: string;
let root: string;
let elsewhere: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "pommel-foreign-")));
  root = join(base, "repository");
  elsewhere = join(base, "home");
  for (const dir of [root, elsewhere, join(root, ".git")]) mkdirSync(dir);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function expectRefused(part: string) {
  expect(projectAround(root)).toBeNull();
  expect(gitProjectOf(root)).toBeNull();
  for (const use of [() => findProject(root), () => createStateDir(projectAt(root))]) {
    expect(use).toThrow(PommelError);
    expect(use).toThrow(join(root, part));
  }
  expect(readdirSync(elsewhere)).toEqual(readdirSync(elsewhere).filter((name) => name === "config.toml"));
}

describe("a .pommel/ that is not this user's is refused, and nothing is written through it", () => {
  it("a link to a directory", () => {
    writeFileSync(join(elsewhere, "config.toml"), "");
    symlinkSync(elsewhere, join(root, ".pommel"));
    expectRefused(".pommel");
  });

  it.each(["log", "spool", "memory.db", "index.db", "page-key", "log/pommeld.log"])(
    "a link in it: %s",
    (part) => {
      mkdirSync(join(root, ".pommel", "log"), { recursive: true });
      writeFileSync(join(root, ".pommel/config.toml"), "");
      if (part === "log") rmSync(join(root, ".pommel/log"), { recursive: true });
      symlinkSync(elsewhere, join(root, ".pommel", part));
      expectRefused(join(".pommel", part));
    },
  );

  it.skipIf(process.getuid?.() !== 0)("another user's", () => {
    mkdirSync(join(root, ".pommel"));
    writeFileSync(join(root, ".pommel/config.toml"), "");
    chownSync(join(root, ".pommel"), 12_345, 12_345);
    expectRefused(".pommel");
    // As in a container that works in a directory of its host's user.
    chownSync(root, 12_345, 12_345);
    expect(findProject(root).root).toBe(root);
  });
});

it("a .pommel/ that others can read is closed to them", () => {
  mkdirSync(join(root, ".pommel"));
  chmodSync(join(root, ".pommel"), 0o755);
  createStateDir(projectAt(root));
  expect(statSync(join(root, ".pommel")).mode & 0o777).toBe(0o700);
});
