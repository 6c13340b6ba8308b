import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type Project, projectAt } from "./paths.ts";
import { createStateDir, hasIgnoreLine, removeIgnoreLine } from "./state-dir.ts";

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

  it("reports that .pommel is a file", () => {
    writeFileSync(project.stateDir, "");
    expect(() => createStateDir(project)).toThrow(
      expect.objectContaining({
        code: "unreadable",
        message: `${project.stateDir} is not a directory.`,
      }),
    );
  });
});

describe("git", () => {
  const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" });
  let gitignore: string;
  beforeEach(() => {
    gitignore = join(root, ".gitignore");
    git("init", "--quiet");
    createStateDir(project);
  });

  it("sees nothing of .pommel without a line in .gitignore", () => {
    expect(git("status", "--porcelain", "--untracked-files=all")).toBe("");
    expect(hasIgnoreLine(root)).toBe(false);
    expect(removeIgnoreLine(root)).toBeNull();
  });

  it.each([
    [".pommel/\n", null],
    ["dist\n.pommel/\n", "dist\n"],
    ["dist\r\n.pommel/\r\nout\r\n", "dist\r\nout\r\n"],
    ["dist\n.pommel/", "dist\n"],
  ])("loses the line that an older Pommel wrote: %j", (before, after) => {
    writeFileSync(gitignore, before);
    expect(hasIgnoreLine(root)).toBe(true);
    expect(removeIgnoreLine(root)).toBe(gitignore);
    expect(existsSync(gitignore) ? readFileSync(gitignore, "utf8") : null).toBe(after);
  });

  it.each(["# .pommel/\n", "/.pommel/\n", "a/.pommel/\n", ".pommel/log\n", ".pom*\n"])(
    "keeps what somebody else wrote: %j",
    (text) => {
      writeFileSync(gitignore, text);
      expect(removeIgnoreLine(root)).toBeNull();
      expect(readFileSync(gitignore, "utf8")).toBe(text);
    },
  );

  it("has the line at the top of the repository, also for a project further down", () => {
    const below = join(root, "packages", "a");
    mkdirSync(below, { recursive: true });
    writeFileSync(gitignore, ".pommel/\n");
    expect(removeIgnoreLine(below)).toBe(gitignore);
  });
});
