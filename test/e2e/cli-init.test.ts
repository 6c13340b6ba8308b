import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeNewProject } from "../../src/base/paths.ts";
import { Registry } from "../../src/store/registry.ts";
import { callPm, pmFile, temporaryDir, temporaryRepository } from "./run-pm.ts";

const modeOf = (path: string) => statSync(path).mode & 0o777;

/** Hooks have tests of their own, in cli-hooks.test.ts. */
async function init(cwd: string, ...args: string[]) {
  const { code, stdout, stderr } = await callPm(["init", "--no-hooks", "--json", ...args], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  return { ...JSON.parse(stdout), stderr };
}

describe("pm init", () => {
  it("says step by step what it did, and that nothing is left to do the second time", async () => {
    const cwd = temporaryRepository();
    writeFileSync(join(cwd, ".gitignore"), "dist\n");
    const bin = temporaryDir();
    symlinkSync(pmFile, join(bin, "pommel"));
    const config = temporaryDir();
    const patterns = join(config, "pommel", "scrubbing-patterns.toml");
    const env = { PATH: `${bin}:${process.env.PATH}`, XDG_CONFIG_HOME: config };
    const { dataDir } = makeNewProject(cwd);
    const first = await callPm(["init"], { cwd, env });
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toBe(
      `${[
        `Pommel in ${cwd}`,
        "",
        "[1/3] Project",
        `      ✓ Created ${dataDir} (sessions, notes and commits)`,
        `      ✓ Created ${patterns} (what counts as a secret)`,
        "",
        "[2/3] Git",
        "      ✓ Created .git/hooks/post-commit, post-rewrite, pre-push",
        "",
        "[3/3] Claude Code",
        "      ✓ Created .claude/settings.local.json (hooks: PreCompact, UserPromptSubmit, SessionStart, Stop, PreToolUse, PostToolUse, SessionEnd, SubagentStop, Notification)",
        "      ✓ Changed .git/info/exclude (keeps your own files out of git status)",
        "",
        "Next:",
        "  pm daemon start    index the project and keep the index up to date",
      ].join("\n")}\n`,
    );
    expect(modeOf(patterns)).toBe(0o600);
    expect(modeOf(dataDir)).toBe(0o700);
    expect(existsSync(join(cwd, ".pommel"))).toBe(false);
    expect(readFileSync(join(cwd, ".gitignore"), "utf8")).toBe("dist\n");
    expect(execFileSync("git", ["-C", cwd, "status", "--porcelain"], { encoding: "utf8" })).toBe(
      "?? .gitignore\n",
    );

    const second = await init(cwd);
    expect(second).toMatchObject({ root: cwd, created: [], changed: [], started: false });
    expect(second.already).toEqual([dataDir]);
    expect(readFileSync(join(cwd, ".gitignore"), "utf8")).toBe("dist\n");
  });

  it("goes to the top of the repository, or stays where it is without git", async () => {
    const repository = temporaryRepository();
    const below = join(repository, "a/b");
    mkdirSync(below, { recursive: true });
    expect((await init(below)).root).toBe(repository);

    const plain = temporaryDir();
    const result = await init(plain);
    expect(result).toMatchObject({ root: plain, created: [makeNewProject(plain).dataDir] });
    expect(readdirSync(plain)).toEqual([]);
  });

  it("means the project around a subdirectory, and a repository inside of it on its own", async () => {
    const outer = temporaryRepository();
    await init(outer);
    const below = join(outer, "below");
    mkdirSync(below);
    expect(await init(below)).toMatchObject({ root: outer, created: [] });
    expect(readdirSync(below)).toEqual([]);
    const inner = join(outer, "vendor");
    execFileSync("git", ["init", "--quiet", inner]);
    expect(await init(inner)).toMatchObject({ root: inner, created: [makeNewProject(inner).dataDir] });
  });

  it.each([
    ["your home directory", () => process.env.HOME!],
    ["the root of the file system", () => "/"],
  ])("refuses %s", async (what, cwd) => {
    const { code, stdout, stderr } = await callPm(["init"], { cwd: cwd() });
    expect({ code, stdout, stderr }).toEqual({ code: 3, stdout: "", stderr: expect.stringContaining(what) });
  });

  it("sets languages, at once or later, and refuses unknown ones", async () => {
    const cwd = temporaryDir();
    await init(cwd, "--languages", "go,ts");
    const languages = async () =>
      JSON.parse((await callPm(["config", "get", "index.languages", "--json"], { cwd })).stdout).value;
    expect(await languages()).toEqual(["go", "typescript"]);
    expect(await init(cwd, "--languages", "py")).toMatchObject({
      created: [],
      changed: [makeNewProject(cwd).configFile],
    });
    expect(await languages()).toEqual(["python"]);
    expect(await init(cwd, "--languages", "python")).toMatchObject({ created: [], changed: [] });

    const fresh = temporaryDir();
    const refused = await callPm(["init", "--languages", "go,pythn"], { cwd: fresh });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean python?") });
    expect(Registry.open().findProjectById(makeNewProject(fresh).id)).toBeNull();
  });

  it("starts the daemon with --start, once", async () => {
    const cwd = temporaryRepository();
    writeFileSync(join(cwd, "a.ts"), "export const answer = 42;\n");
    try {
      const first = await callPm(["init", "--no-hooks", "--start"], { cwd });
      expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("[2/2] Daemon") });
      expect(first.stdout).toContain("pm search");
      expect(await init(cwd, "--start")).toMatchObject({ created: [], changed: [], started: false });
    } finally {
      expect(await callPm(["stop"], { cwd })).toMatchObject({ code: 0 });
    }
    expect(await init(cwd)).toMatchObject({ started: false });
  });

  it("writes nothing into the directory without hooks", async () => {
    const cwd = temporaryDir();
    writeFileSync(join(cwd, ".pommel"), "in the way");
    chmodSync(cwd, 0o500);
    expect(await init(cwd)).toMatchObject({ root: cwd, created: [makeNewProject(cwd).dataDir] });
    expect(readFileSync(join(cwd, ".pommel"), "utf8")).toBe("in the way");
    expect(readdirSync(cwd)).toEqual([".pommel"]);
  });

  it("reports a configuration that was broken before, but not a stranger's", async () => {
    const cwd = temporaryDir();
    mkdirSync(join(cwd, ".pommel"));
    writeFileSync(join(cwd, ".pommel/config.toml"), "[search\n");
    await init(cwd);
    writeFileSync(makeNewProject(cwd).configFile, "[search\n");
    const { code, stderr } = await callPm(["init"], { cwd });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("config.toml:1:") });
  });
});
