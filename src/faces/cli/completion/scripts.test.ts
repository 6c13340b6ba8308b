import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { listCompletionPlaces } from "./complete.ts";
import { completionScripts } from "./scripts.ts";

/** A small program with one of everything. */
function sampleProgram(): Command {
  const program = new Command("pm").option("-C, --cwd <dir>", "run as if started in <dir>");
  program
    .command("search")
    .description("find what's there")
    .addOption(new Option("--level <level>", "how large").choices(["file", "method"]))
    .option("--session <id>", "of one")
    .option("-n, --limit <count>", "how many");
  program.command("import").argument("<agent>").argument("[dir]");
  const config = program.command("config").description("settings: all");
  config.command("get").argument("<key>");
  program.command("hidden", { hidden: true });
  return program;
}

const places = listCompletionPlaces(sampleProgram());
const scripts = {
  bash: completionScripts.bash(places),
  zsh: completionScripts.zsh(places),
  fish: completionScripts.fish(places),
};

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
    expect(complete("pm", "")).toEqual(["search", "import", "config", "help"]);
    expect(complete("pm", "co")).toEqual(["config"]);
    expect(complete("pm", "-C", "/tmp", "config", "")).toEqual(["get", "help"]);
  });

  it("offers options, their choices and directories", () => {
    expect(complete("pm", "search", "-")).toEqual([
      "--level",
      "--session",
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

describe("powershell", () => {
  const script = completionScripts.powershell(places);

  it("knows every place, with descriptions, and quotes what would end a string", () => {
    for (const { at } of places) expect(script).toContain(`  '${at}' = @{ Commands = `);
    expect(script).toContain("'search' = 'find what''s there'");
    expect(script).toContain(
      "'--level' = @{ About = 'how large'; Takes = $true; Values = @('file', 'method')",
    );
    expect(script).toContain(
      "'--session' = @{ About = 'of one'; Takes = $true; Values = @(); Source = 'sessions' }",
    );
    const curly = completionScripts.powershell(
      listCompletionPlaces(new Command("pm").option("--x", "it\u2019s")),
    );
    expect(curly).toContain("'it\u2019\u2019s'");
  });

  it.skipIf(!isInstalled("pwsh"))("completes (skipped where PowerShell is not installed)", () => {
    const ask = `${script}; (TabExpansion2 'pm search --le' 14).CompletionMatches.CompletionText`;
    const { stdout } = spawnSync("pwsh", ["-NoProfile", "-Command", ask], { encoding: "utf8" });
    expect(stdout.trim()).toBe("--level");
  });
});

describe("what is remembered", () => {
  /** A stub of \`pm complete\`. */
  const bin = mkdtempSync(join(tmpdir(), "pommel-bin-"));
  const answers = "sessions) printf '8ecde0fc\\tFix: the parser\\n1f0c2a3b\\n' ;; agents) echo claude ;;";
  writeFileSync(join(bin, "pm"), `#!/bin/sh\n[ "$1" = complete ] && case "$2" in ${answers} esac\n`, {
    mode: 0o755,
  });
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };

  it("is offered by bash", () => {
    const complete = (...words: string[]) => {
      const ask = `eval "$SCRIPT"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pm; echo "\${COMPREPLY[*]}"`;
      const given = { encoding: "utf8", env: { ...env, SCRIPT: scripts.bash } } as const;
      return spawnSync("bash", ["-c", ask, "bash", ...words], given).stdout.trim();
    };
    expect(complete("pm", "search", "--session", "")).toBe("8ecde0fc 1f0c2a3b");
    expect(complete("pm", "search", "--session", "1")).toBe("1f0c2a3b");
    expect(complete("pm", "import", "cl")).toBe("claude");
  });

  it.skipIf(!isInstalled("fish"))("is offered by fish (skipped where it is not installed)", () => {
    const shell = "fish";
    const complete = (line: string) =>
      spawnSync(shell, ["-c", 'source "$argv[1]"; complete -C "$argv[2]"', scriptFile("fish"), line], {
        encoding: "utf8",
        env,
      }).stdout.trim();
    expect(complete("pm search --session ").split("\n").toSorted()).toEqual([
      "1f0c2a3b\tof one",
      "8ecde0fc\tFix: the parser",
    ]);
    expect(complete("pm import cl")).toBe("claude");
  });

  it.skipIf(!isInstalled("zsh"))("is offered by zsh (skipped where it is not installed)", () => {
    // What is found is printed instead of shown: a menu needs a terminal.
    const ask = `compdef() { :; }; _describe() { print -rl -- $found; }; _files() { :; }
      source "$1"; shift; words=("$@"); CURRENT=$#; _pm`;
    const complete = (...words: string[]) =>
      spawnSync("zsh", ["-f", "-c", ask, "zsh", scriptFile("zsh"), ...words], { encoding: "utf8", env })
        .stdout;
    expect(complete("pm", "search", "--session", "").trim().split("\n")).toEqual([
      "8ecde0fc:Fix: the parser",
      "1f0c2a3b",
    ]);
    expect(complete("pm", "import", "").trim()).toBe("claude");
  });
});

it.skipIf(!isInstalled("fish"))("fish completes (skipped where it is not installed)", () => {
  const shell = "fish";
  const ask = 'source "$argv[1]"; complete -C "pm config get search.li"';
  const { stdout } = spawnSync(shell, ["-c", ask, scriptFile(shell)], { encoding: "utf8" });
  expect(stdout.trim()).toBe("search.limit");
});
