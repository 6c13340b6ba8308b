import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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
    const first = await callPm(["init"], { cwd, env });
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toBe(
      `${[
        `Pommel in ${cwd}`,
        "",
        "[1/3] Project directory",
        "      ✓ Created .pommel/",
        "      ✓ Created .pommel/config.toml",
        "      ✓ Created .pommel/.gitignore",
        `      ✓ Created ${patterns} (what counts as a secret)`,
        "",
        "[2/3] Git",
        "      ✓ Created .git/hooks/post-commit, post-rewrite, pre-push",
        "",
        "[3/3] Claude Code",
        "      ✓ Created .claude/settings.json (hooks: PreCompact, UserPromptSubmit, SessionStart, Stop, PostToolUse, SessionEnd, SubagentStop)",
        "",
        "Next:",
        "  pm start    index the project and keep the index up to date",
      ].join("\n")}\n`,
    );
    expect(modeOf(patterns)).toBe(0o600);
    expect(modeOf(join(cwd, ".pommel"))).toBe(0o700);
    expect(modeOf(join(cwd, ".pommel/config.toml"))).toBe(0o600);
    expect(readFileSync(join(cwd, ".gitignore"), "utf8")).toBe("dist\n");
    expect(execFileSync("git", ["-C", cwd, "status", "--porcelain"], { encoding: "utf8" })).toBe(
      "?? .claude/\n?? .gitignore\n",
    );

    const before = readFileSync(join(cwd, ".pommel/config.toml"), "utf8");
    const second = await init(cwd);
    expect(second).toMatchObject({ root: cwd, created: [], changed: [], started: false });
    expect(second.already).toEqual([".pommel/", ".pommel/config.toml", ".pommel/.gitignore"]);
    expect(readFileSync(join(cwd, ".pommel/config.toml"), "utf8")).toBe(before);
    expect(readFileSync(join(cwd, ".gitignore"), "utf8")).toBe("dist\n");
  });

  it("goes to the top of the repository, or stays where it is without git", async () => {
    const repository = temporaryRepository();
    const below = join(repository, "a/b");
    mkdirSync(below, { recursive: true });
    expect((await init(below)).root).toBe(repository);

    const plain = temporaryDir();
    const result = await init(plain);
    expect(result).toMatchObject({
      root: plain,
      created: [".pommel/", ".pommel/config.toml", ".pommel/.gitignore"],
    });
    expect(existsSync(join(plain, ".gitignore"))).toBe(false);
  });

  it("says which project a subdirectory belongs to", async () => {
    const root = temporaryDir();
    await init(root);
    const below = join(root, "below");
    mkdirSync(below);
    const result = await init(below);
    expect(result).toMatchObject({ root, created: [] });
    expect(result.stderr).toContain(`${below} belongs to the project in ${root}. That one is set up`);
    expect(existsSync(join(below, ".pommel"))).toBe(false);
  });

  it("gives a repository inside a project an index of its own, and says so", async () => {
    const outer = temporaryRepository();
    await init(outer);
    const inner = join(outer, "vendor");
    execFileSync("git", ["init", "--quiet", inner]);
    const result = await init(inner);
    expect(result.root).toBe(inner);
    expect(result.stderr).toContain(`inside the project in ${outer}`);
  });

  it("sets languages, at once or later, and refuses unknown ones", async () => {
    const cwd = temporaryDir();
    await init(cwd, "--languages", "go,ts");
    const languages = async () =>
      JSON.parse((await callPm(["config", "get", "index.languages", "--json"], { cwd })).stdout).value;
    expect(await languages()).toEqual(["go", "typescript"]);
    expect(await init(cwd, "--languages", "py")).toMatchObject({
      created: [],
      changed: [".pommel/config.toml"],
    });
    expect(await languages()).toEqual(["python"]);
    expect(await init(cwd, "--languages", "python")).toMatchObject({ created: [], changed: [] });

    const fresh = temporaryDir();
    const refused = await callPm(["init", "--languages", "go,pythn"], { cwd: fresh });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean python?") });
    expect(existsSync(join(fresh, ".pommel"))).toBe(false);
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

  it("explains a .pommel that is a file", async () => {
    const cwd = temporaryDir();
    writeFileSync(join(cwd, ".pommel"), "");
    const { code, stderr } = await callPm(["init"], { cwd });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("is not a directory") });
  });

  it.skipIf(process.getuid?.() === 0)(
    "explains a read-only directory (root may write anywhere)",
    async () => {
      const cwd = temporaryDir();
      chmodSync(cwd, 0o500);
      const { code, stderr } = await callPm(["init"], { cwd });
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining(`Cannot write to ${cwd}`),
      });
    },
  );

  it("reports a configuration that was broken before", async () => {
    const cwd = temporaryDir();
    await init(cwd);
    writeFileSync(join(cwd, ".pommel/config.toml"), "[search\n");
    const { code, stderr } = await callPm(["init"], { cwd });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("config.toml:1:") });
  });
});
