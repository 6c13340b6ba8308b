import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { ignoreStateDir } from "./git-ignore.ts";
import { type Project, projectAt } from "./paths.ts";
import { createStateDir } from "./state-dir.ts";

let root: string;
let project: Project;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pommel-state-")));
  project = projectAt(root);
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("createStateDir", () => {
  it("creates everything for the user alone, once", () => {
    expect(createStateDir(project)).toEqual([".pommel/", ".pommel/config.toml", ".pommel/.gitignore"]);
    expect(modeOf(project.stateDir)).toBe(0o700);
    expect(modeOf(project.configFile)).toBe(0o600);
    expect(readFileSync(join(project.stateDir, ".gitignore"), "utf8")).toBe("*\n");
    writeFileSync(project.configFile, "# mine\n");
    expect(createStateDir(project)).toEqual([]);
    expect(readFileSync(project.configFile, "utf8")).toBe("# mine\n");
  });

  it("says so when .pommel is a file", () => {
    writeFileSync(project.stateDir, "");
    expect(() => createStateDir(project)).toThrow(
      expect.objectContaining({
        code: "unreadable",
        message: `${project.stateDir} exists and is not a directory.`,
      }),
    );
  });
});

describe("ignoreStateDir", () => {
  const gitignore = () => readFileSync(join(root, ".gitignore"), "utf8");
  const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args]);

  beforeEach(() => {
    git("init", "--quiet");
    createStateDir(project);
  });

  it.each([
    [null, "created", ".pommel/\n"],
    ["", "changed", ".pommel/\n"],
    ["dist\n", "changed", "dist\n.pommel/\n"],
    ["dist", "changed", "dist\n.pommel/\n"],
    ["dist\r\nout", "changed", "dist\r\nout\r\n.pommel/\r\n"],
    [".pommel/\n!.pommel/\n", "already", ".pommel/\n!.pommel/\n"],
    ["# .pommel/\n", "changed", "# .pommel/\n.pommel/\n"],
    [".pommel", "already", ".pommel"],
    ["/.pommel/\r\n", "already", "/.pommel/\r\n"],
    [".pom*\n", "already", ".pom*\n"],
  ] as const)("with %j is %s", (before, outcome, after) => {
    if (before !== null) writeFileSync(join(root, ".gitignore"), before);
    expect(ignoreStateDir(root)).toBe(outcome);
    expect(gitignore()).toBe(after);
    expect(ignoreStateDir(root)).toBe("already");
    expect(gitignore()).toBe(after);
  });

  it("leaves .gitignore alone when the user's own excludes say it", () => {
    writeFileSync(join(root, ".git", "info", "exclude"), ".pommel/\n");
    expect(ignoreStateDir(root)).toBe("already");
    expect(() => gitignore()).toThrow("ENOENT");
  });

  it("edits the file at the top for a project further down", () => {
    const below = join(root, "packages", "a");
    mkdirSync(below, { recursive: true });
    createStateDir(projectAt(below));
    expect(ignoreStateDir(below)).toBe("created");
    expect(gitignore()).toBe(".pommel/\n");
  });
});

it("does nothing outside git", () => {
  createStateDir(project);
  expect(ignoreStateDir(root)).toBeNull();
});
