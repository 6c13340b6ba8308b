import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { homeAt, pmFile, runPm, temporaryDir, temporaryRepository } from "./run-pm.ts";

const keys = { down: "\x1b[B", space: " ", enter: "\r", ctrlC: "\x03" };

let cwd: string;
let home: string;
const env = () => ({
  ...process.env,
  ...homeAt(home),
  TERM: "xterm",
});
beforeEach(() => {
  cwd = temporaryRepository();
  home = temporaryDir("pommel-home-");
  mkdirSync(join(home, ".claude"));
});
afterEach(async () => {
  await runPm(["stop"], { cwd, env: env() });
});

/** Runs `pm` at a terminal of its own, and answers each question that it shows. */
function atTerminal(args: string, ...answers: [shown: string, typed: string][]) {
  return new Promise<{ code: number | null; screen: string }>((resolve, reject) => {
    // The terminal that it makes has no size.
    const command = `stty cols 100 rows 40; exec ${process.execPath} ${pmFile} ${args}`;
    const child = spawn("script", ["-qec", command, "/dev/null"], { cwd, env: env() });
    let screen = "";
    let from = 0;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      screen += stripVTControlCharacters(text);
      const [shown, typed] = answers[0] ?? ["", ""];
      if (answers.length === 0 || !screen.slice(from).includes(shown)) return;
      answers.shift();
      from = screen.length;
      child.stdin.write(typed);
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, screen }));
  });
}

const hasScript = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
const first = "Enter: confirm";
const untouched = () => [readdirSync(cwd), readdirSync(home)];

describe.skipIf(!hasScript)("pm init at a terminal (skipped without util-linux' script)", () => {
  it("offers what it found, and does what was chosen, for somebody alone", async () => {
    // Not the daemon, which is on the first line.
    const { code, screen } = await atTerminal("init", [first, keys.space + keys.enter], [first, keys.enter]);
    expect({ code, screen }).toMatchObject({ code: 0, screen: expect.stringContaining("Claude Code") });
    expect(screen).toContain("Set up agents for whom?");
    expect(existsSync(join(home, ".local/state/pommel/daemon.json"))).toBe(false);
    expect(readFileSync(join(cwd, ".claude/settings.local.json"), "utf8")).toContain("pommel hook stop");
    expect(
      JSON.parse(readFileSync(join(home, ".claude.json"), "utf8")).projects[cwd].mcpServers,
    ).toHaveProperty("pommel");
    expect(existsSync(join(cwd, ".git/hooks/post-commit"))).toBe(true);
    expect(spawnSync("git", ["status", "--porcelain"], { cwd, encoding: "utf8" }).stdout).toBe("");
  });

  it("does it for the team with two keys, and asks nothing that a flag says", async () => {
    const { code, screen } = await atTerminal(
      "init --no-start --agent claude",
      [first, keys.enter],
      [first, keys.down + keys.enter],
    );
    expect(code).toBe(0);
    expect(screen).not.toContain("Start (");
    expect(existsSync(join(cwd, ".mcp.json"))).toBe(true);
    expect(existsSync(join(cwd, ".claude/settings.json"))).toBe(true);
    expect(existsSync(join(home, ".claude.json"))).toBe(false);
  });

  it.each([1, 2])("changes nothing when it is left at question %i", async (at) => {
    const before = untouched();
    const enters = Array.from({ length: at - 1 }, (): [string, string] => [first, keys.enter]);
    const { code, screen } = await atTerminal("init", ...enters, [first, keys.ctrlC]);
    expect({ code, screen }).toMatchObject({
      code: 130,
      screen: expect.stringContaining("Nothing was changed."),
    });
    expect(untouched()).toEqual(before);
  });

  it("asks nothing with --yes", async () => {
    const { code, screen } = await atTerminal("init --yes");
    expect({ code, screen }).toMatchObject({ code: 0, screen: expect.stringContaining("[1/4] Project") });
    expect(screen).toContain("[4/4] Daemon");
    expect(readdirSync(join(cwd, ".claude"))).toEqual(["settings.local.json"]);
  });
});

describe.skipIf(!hasScript)("pm setup at a terminal (skipped without util-linux' script)", () => {
  const readHooks = () =>
    JSON.parse(readFileSync(join(home, ".claude/settings.json"), "utf8")).hooks as Record<
      string,
      { matcher?: string }[]
    >;
  const readMatchers = () => (readHooks().PreToolUse ?? []).map(({ matcher }) => matcher ?? "");

  it("asks what agents are told before they act, of which nothing is on before", async () => {
    const { code, screen } = await atTerminal("setup", [first, keys.enter], [first, keys.space + keys.enter]);
    expect({ code, screen }).toMatchObject({ code: 0, screen: expect.stringContaining("Rules") });
    expect(screen).toContain("Told before an agent acts: rules (off: radar, dead ends)");
    expect(readFileSync(join(home, ".config/pommel/config.toml"), "utf8")).toMatch(
      /\[rules\]\s*check = true/,
    );
    expect(readMatchers().some((matcher) => matcher.includes("Edit"))).toBe(true);

    // What is on is ticked: leaving the tick out turns it off.
    const again = await atTerminal("setup", [first, keys.enter], [first, keys.space + keys.enter]);
    expect(again.screen).toContain("Off: rules, radar, dead ends");
    expect(readFileSync(join(home, ".config/pommel/config.toml"), "utf8")).not.toContain("check = true");
  });

  it("changes nothing when its second question is left", async () => {
    const before = untouched();
    const { code } = await atTerminal("setup", [first, keys.enter], [first, keys.ctrlC]);
    expect(code).toBe(130);
    expect(untouched()).toEqual(before);
  });
});
