import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { namedProject } from "../../../test/support/named-project.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { makeNewProject } from "../../base/paths.ts";
import { findIndexObstacle, requireIndexed } from "./indexed.ts";

let home: ReturnType<typeof temporaryHome>;
let dir: string;
beforeEach(() => {
  home = temporaryHome();
  dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-plain-")));
});
afterEach(() => {
  vi.unstubAllEnvs();
  home.remove();
});

const refusal = () => findIndexObstacle(makeNewProject(dir));

it("are the files of a repository, of what a team configured, and of what its user named", () => {
  expect(refusal()).toMatchObject({
    isLikelyMeant: true,
    refusal: { code: "not_initialised", message: expect.stringContaining("is no git repository") },
  });
  expect(() => requireIndexed(makeNewProject(dir))).toThrow("is no git repository");
  mkdirSync(join(dir, ".pommel"));
  writeFileSync(join(dir, ".pommel/config.toml"), "");
  expect(refusal()).toBeNull();
  dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-plain-")));
  // A linked worktree has a file there.
  writeFileSync(join(dir, ".git"), "gitdir: elsewhere\n");
  expect(refusal()).toBeNull();
  dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-plain-")));
  namedProject(dir);
  expect(refusal()).toBeNull();
});

it("are not those of a directory that nobody can mean", () => {
  mkdirSync(join(dir, "one/.git"), { recursive: true });
  mkdirSync(join(dir, "notes"));
  // One that holds a repository, beside other things.
  expect(refusal()).toMatchObject({ isLikelyMeant: true });
  mkdirSync(join(dir, "two/.git"), { recursive: true });
  expect(refusal()).toMatchObject({
    isLikelyMeant: false,
    refusal: { message: `${dir} holds 2 repositories, and is none itself.` },
  });
  vi.stubEnv("TMPDIR", dir);
  expect(refusal()).toMatchObject({
    isLikelyMeant: false,
    refusal: { message: `${dir} is for temporary files, and no project.` },
  });
});
