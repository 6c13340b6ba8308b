import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { projectAt } from "../../project/paths.ts";
import { registryFile } from "../../store/registry.ts";
import { forgetProjects, listProjects, rememberProject, withoutCredentials } from "./known-projects.ts";

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-known-")));
  rmSync(registryFile(), { force: true });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function initialised(name: string) {
  const root = join(dir, name);
  mkdirSync(join(root, ".pommel"), { recursive: true });
  writeFileSync(join(root, ".pommel", "config.toml"), "");
  return projectAt(root);
}

it("lists the registered projects, reports which are gone, and removes those", async () => {
  const [one, two] = [initialised("one"), initialised("two")];
  const secret = `ghp_${"x".repeat(36)}`;
  execFileSync("git", ["init", "-q", one.root]);
  execFileSync("git", [
    "-C",
    one.root,
    "remote",
    "add",
    "origin",
    `https://me:${secret}@example.com/one.git`,
  ]);
  for (const project of [one, two]) await rememberProject(project);
  expect(listProjects().find(({ root }) => root === one.root)).toMatchObject({
    name: "one",
    remote: "https://example.com/one.git",
    memoryDb: one.memoryDb,
    isGone: false,
  });
  expect(forgetProjects(null)).toEqual([]);
  rmSync(two.root, { recursive: true });
  expect(listProjects().filter(({ isGone }) => isGone)).toMatchObject([{ root: two.root, remote: null }]);
  expect(forgetProjects(null)).toEqual([two.root]);
  expect(forgetProjects(one.root)).toEqual([one.root]);
  expect(listProjects()).toEqual([]);
});

it("keeps no credentials of an address", () => {
  const secret = `ghp_${"x".repeat(36)}`;
  expect(withoutCredentials(`https://u:${secret}@example.com:8443/a/b.git`)).toBe(
    "https://example.com:8443/a/b.git",
  );
  expect(withoutCredentials(`https://u:p@ss@example.com/a@b.git?token=${secret}`)).toBe(
    "https://example.com/a@b.git",
  );
  expect(withoutCredentials("ssh://git@example.com/a.git")).toBe("ssh://example.com/a.git");
  expect(withoutCredentials("git@example.com:a/b.git")).toBe("example.com:a/b.git");
  expect(withoutCredentials("/srv/git/a@b:c.git")).toBe("/srv/git/a@b:c.git");
});
