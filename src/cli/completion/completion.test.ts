import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { placesOf } from "./tree.ts";
import { zshScript } from "./zsh.ts";

/** A small program with one of everything. */
function sampleProgram(): Command {
  const program = new Command("pm").option("-C, --cwd <dir>", "run as if started in <dir>");
  program
    .command("search")
    .description("find what's there")
    .addOption(new Option("--level <level>", "how large").choices(["file", "method"]))
    .option("-n, --limit <count>", "how many");
  const config = program.command("config").description("settings: all");
  config.command("get").argument("<key>");
  program.command("hidden", { hidden: true });
  return program;
}

const places = placesOf(sampleProgram());
const scripts = { bash: bashScript(places), zsh: zshScript(places), fish: fishScript(places) };

function scriptFile(shell: keyof typeof scripts): string {
  const file = join(mkdtempSync(join(tmpdir(), "pommel-completion-")), "script");
  writeFileSync(file, scripts[shell]);
  return file;
}

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ["-c", "exit 0"]).status === 0;
}

describe("bash", () => {
  /** What bash offers for the last of `words`. */
  function complete(...words: string[]): string[] {
    const { stdout, stderr } = spawnSync(
      "bash",
      [
        "-c",
        `eval "$SCRIPT"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pm; printf '%s\\n' "\${COMPREPLY[@]}"`,
        "bash",
        ...words,
      ],
      { encoding: "utf8", env: { ...process.env, SCRIPT: scripts.bash } },
    );
    expect(stderr).toBe("");
    return stdout.split("\n").filter((line) => line !== "");
  }

  it("offers commands that are not hidden", () => {
    expect(complete("pm", "")).toEqual(["search", "config", "help"]);
    expect(complete("pm", "co")).toEqual(["config"]);
    expect(complete("pm", "-C", "/tmp", "config", "")).toEqual(["get", "help"]);
  });

  it("offers options, their choices and directories", () => {
    expect(complete("pm", "search", "-")).toEqual([
      "--level",
      "-n",
      "--limit",
      "-h",
      "--help",
      "-C",
      "--cwd",
    ]);
    expect(complete("pm", "search", "--level", "")).toEqual(["file", "method"]);
    expect(complete("pm", "search", "--limit", "")).toEqual([]);
    expect(complete("pm", "-C", "/tm")).toEqual(["/tmp"]);
  });

  it("offers settings, and commands after help", () => {
    expect(complete("pm", "config", "get", "search.li")).toEqual(["search.limit"]);
    expect(complete("pm", "help", "se")).toEqual(["search"]);
  });
});

describe.each(["zsh", "fish"] as const)("%s", (shell) => {
  it.skipIf(!isInstalled(shell))("has valid syntax (skipped where the shell is not installed)", () => {
    const file = scriptFile(shell);
    const { status, stderr } = spawnSync(shell, ["-n", file], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it("quotes descriptions and knows every place", () => {
    expect(scripts[shell]).toContain(shell === "zsh" ? "what'\\''s there" : "what\\'s there");
    for (const { at } of places)
      expect(scripts[shell]).toContain(`'${at}'`.replaceAll("'", shell === "fish" ? "\\'" : "'"));
  });
});

it.skipIf(!isInstalled("fish"))("fish completes (skipped where it is not installed)", () => {
  const shell = "fish";
  const ask = 'source "$argv[1]"; complete -C "pm config get search.li"';
  const { stdout } = spawnSync(shell, ["-c", ask, scriptFile(shell)], { encoding: "utf8" });
  expect(stdout.trim()).toBe("search.limit");
});
