import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { type PmResult, pmFile, runPm, temporaryDir, temporaryRepository } from "./run-pm.ts";

describe("pm", () => {
  it("says how to begin, and in a project what a day needs, when nothing is asked", async () => {
    const anywhere = await runPm([], { cwd: process.env.HOME! });
    expect(anywhere).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("pm setup") });
    const here = await runPm([], { cwd: temporaryRepository() });
    expect(here).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("pm why FILE:LINE") });
    expect((await runPm(["--help"])).stdout).toContain("Usage: pm");
  });

  it("prints its version, and can be executed", async () => {
    expect(await runPm(["--version"])).toMatchObject({ code: 0, stdout: `${packageJson.version}\n` });
    expect(readFileSync(pmFile, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it("suggests what was meant by an unknown command or option", async () => {
    expect(await runPm(["docter"])).toEqual({
      code: 2,
      signal: null,
      stdout: "",
      stderr: "error: unknown command 'docter'\nhint: Did you mean `pm doctor`?\n",
    });
    const option = await runPm(["init", "--strat"]);
    expect(option).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean --start?") });
    expect(await runPm(["config", "get"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("'key'"),
    });
  });

  it("prints errors as JSON on stdout when JSON was asked for", async () => {
    const { code, stdout, stderr } = await runPm(["init", "--strat", "--json"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      error: { code: "usage", message: "unknown option '--strat'", hint: "Did you mean --start?" },
    });
  });

  it("runs somewhere else with -C, before or after the command", async () => {
    const cwd = temporaryDir();
    const { stdout } = await runPm(["-C", cwd, "init", "--json"]);
    expect(JSON.parse(stdout).root).toBe(cwd);
    expect(await runPm(["config", "set", "search.limit", "7", "-C", cwd])).toMatchObject({ code: 0 });
    expect(await runPm(["config", "get", "search.limit"], { cwd })).toMatchObject({ stdout: "7\n" });
    const nowhere = await runPm(["-C", `${cwd}/nowhere`, "config"]);
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining("no such directory") });
  });

  // Most tests call commands from their sources.
  it("finds the code of each command beside it", async () => {
    const cwd = process.env.HOME!;
    for (const command of [["backup"], ["code", "packages"], ["enable"], ["reindex"]]) {
      const { code, stdout } = await runPm([...command, "--json"], { cwd });
      expect({ code, error: JSON.parse(stdout).error.code }).toEqual({ code: 3, error: "not_initialised" });
    }
    for (const command of [
      ["memory", "export", "--all", "--to", "all.jsonl"],
      ["forget", "--session", "none"],
      ["open"],
      ["rewind", "none"],
    ]) {
      expect(await runPm([...command, "--json"], { cwd })).toMatchObject({ code: 3, stderr: "" });
    }
    for (const command of [
      ["memory", "decrypt"],
      ["projects"],
      ["restart"],
      ["stop"],
      ["uninstall", "--dry-run"],
      ["daemon", "version"],
    ]) {
      expect(await runPm([...command, "--json"], { cwd })).toMatchObject({ code: 0, stderr: "" });
    }
  });

  it("shows a stack with --debug only", async () => {
    const cwd = process.env.HOME!;
    const args = ["config", "set", "search.limit", "7"];
    expect((await runPm(args, { cwd })).stderr).not.toContain("    at ");
    expect((await runPm([...args, "--debug"], { cwd })).stderr).toContain("    at ");
  });

  it("colours only when asked to, for it never writes to a terminal here", async () => {
    const cwd = temporaryDir();
    const colour = "\x1b[";
    const plain = { NO_COLOR: "", FORCE_COLOR: "", CI: "1" };
    expect((await runPm(["docter"], { cwd, env: plain })).stderr).not.toContain(colour);
    const forced = { NO_COLOR: "", FORCE_COLOR: "1" };
    expect((await runPm(["docter"], { cwd, env: forced })).stderr).toContain(colour);
    expect((await runPm(["docter", "--no-color"], { cwd, env: forced })).stderr).not.toContain(colour);
    expect((await runPm(["docter"], { cwd, env: { NO_COLOR: "1", FORCE_COLOR: "1" } })).stderr).not.toContain(
      colour,
    );
  });

  it("searches the same way with and without the parser of command lines", async () => {
    const cwd = temporaryRepository();
    // How long it took, and how old the index is by now.
    const timeless = ({ stdout, stderr, ...rest }: PmResult) => ({
      ...rest,
      stdout: stdout.replace(/[\d.]+ ms|"search_time_ms": [\d.]+/g, ""),
      stderr: stderr.replace(/.* the index is from .*\n/, ""),
    });
    const both = async (...args: string[]) => {
      const plain = await runPm(args, { cwd });
      expect(timeless(plain)).toEqual(timeless(await runPm(["-C", cwd, ...args], { cwd })));
      return plain;
    };
    writeFileSync(join(cwd, "retry.ts"), "export function retry() { return 1; }\n");
    await runPm(["reindex"], { cwd });
    expect(await both("search", "xylophone")).toMatchObject({ code: 5, stderr: "" });
    expect(await both("search", "retry")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("retry.ts"),
    });
    expect(await both("search", "code", "retry", "it")).toMatchObject({ code: 0 });
    expect(await both("search", "--json", "retry")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"file": "retry.ts"'),
    });
    expect(await both("search", "")).toMatchObject({ code: 2 });
    expect(await both("search", "", "--json")).toMatchObject({ code: 2, stderr: "" });
  });

  it.each(["status", "search x", "mcp", "lsp"])(
    "says that the current directory is gone: %s",
    async (args) => {
      const dir = temporaryDir();
      const command = `rmdir '${dir}'; node '${pmFile}' ${args}`;
      const [code, ...printed] = await new Promise<[unknown, string, string]>((resolve) => {
        execFile("bash", ["-c", command], { cwd: dir }, (error, ...printed) =>
          resolve([error?.code, ...printed]),
        );
      });
      const said =
        "error: The current directory no longer exists.\nhint: Go to another directory, or name one with -C.\n";
      expect([code, ...printed]).toEqual([2, "", said]);
    },
  );

  it("ends quietly when its output is closed", async () => {
    const command = `node '${pmFile}' config list | true; echo "$\{PIPESTATUS[0]}"`;
    const repeated = `for i in 1 2 3 4 5; do ${command}; done`;
    const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
      execFile("bash", ["-c", repeated], { cwd: temporaryDir() }, (_, stdout, stderr) =>
        resolve({ stdout, stderr }),
      );
    });
    expect({ stdout, stderr }).toEqual({ stdout: "0\n".repeat(5), stderr: "" });
  });
});
