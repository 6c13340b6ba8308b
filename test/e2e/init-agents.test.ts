import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callPm, homeAt, runPm, temporaryDir, temporaryRepository } from "./run-pm.ts";

let cwd: string;
let home: string;
beforeEach(() => {
  cwd = temporaryRepository();
  home = realpathSync(temporaryDir("pommel-home-"));
});

const env = () => ({ ...homeAt(home), CLAUDE_PROJECT_DIR: "" });
afterEach(() => run("stop"));
const run = (...args: string[]) => callPm(args, { cwd, env: env() });
async function json(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, "--json");
  expect({ code, stderr, stdout }).toMatchObject({ code: 0 });
  return JSON.parse(stdout);
}

/** The files of agents, by their paths, and what they say. */
function filesOf(dir: string): Record<string, string> {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const paths = files.map((file) => file.slice(dir.length + 1)).sort();
  const others = /^(?:\.git|\.config|\.local|\.cache)\//;
  return Object.fromEntries(
    paths
      .filter((path) => !others.test(path) && path !== ".gitignore")
      .map((path) => [path, readFileSync(join(dir, path), "utf8")]),
  );
}

function put(dir: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

/** What hooks left for the daemon. */
const spool = () => join(home, ".local/state/pommel/spool");

const everyFile = [
  ".claude/CLAUDE.md",
  ".claude/settings.json",
  ".codex/config.toml",
  ".codex/hooks.json",
  ".gemini/settings.json",
  ".mcp.json",
  "AGENTS.md",
  "GEMINI.md",
];

describe("pm init", () => {
  it("adds Claude Code's hooks and nothing else where it cannot ask", async () => {
    put(home, { ".codex/config.toml": "", ".gemini/settings.json": "{}" });
    const { agents, hooks } = await json("init");
    expect(hooks).toEqual({ state: "installed", reason: null });
    expect(agents).toEqual([
      { agent: "claude", hooks: { state: "installed", file: ".claude/settings.local.json", reason: null } },
    ]);
    expect(Object.keys(filesOf(cwd))).toEqual([".claude/settings.local.json"]);
  });

  it("sets up all agents that are used with --yes, says what is left to do, and takes all of it back", async () => {
    put(home, { ".codex/config.toml": "", ".gemini/settings.json": "{}", ".claude/settings.json": "{}" });
    put(cwd, {
      ".claude/CLAUDE.md": "# Rules\r\n\r\nNo tabs.",
      ".mcp.json": '{"mcpServers":{"other":{"command":"x"}}}',
      ".codex/config.toml": 'model = "o" # mine\n',
      "AGENTS.md": "Be brief.\n",
    });
    const before = filesOf(cwd);
    const first = await run("init", "--yes", "--team", "--instructions", "--no-start");
    expect(first.code).toBe(0);
    for (const title of ["Claude Code", "Codex CLI", "Gemini CLI"])
      expect(first.stdout).toContain(`] ${title}\n`);
    expect(first.stdout).toContain("Changed AGENTS.md (when to ask Pommel)");
    expect(first.stderr).toMatch(/asks once.*\.mcp\.json/);
    expect(first.stderr).toContain("trust Pommel's hooks with /hooks");
    expect(first.stderr).toContain("Gemini CLI ignores this until it trusts the folder");
    const after = filesOf(cwd);
    expect(Object.keys(after)).toEqual(everyFile);
    expect(JSON.parse(after[".mcp.json"]!).mcpServers).toEqual({
      other: { command: "x" },
      pommel: { type: "stdio", command: "pommel", args: ["mcp"], alwaysLoad: true, deferTools: "never" },
    });
    expect(JSON.parse(after[".claude/settings.json"]!).permissions).toEqual({ allow: ["mcp__pommel"] });
    expect(after[".codex/config.toml"]).toBe(
      'model = "o" # mine\n\n[mcp_servers.pommel]\ncommand = "pommel"\nargs = ["mcp"]\n',
    );
    expect((await json("init", "--yes", "--no-start")).created).toEqual([]);
    expect(filesOf(cwd)).toEqual(after);

    const checks: { name: string; status: string; message: string; hint: string }[] = (await json("doctor"))
      .checks;
    const check = (name: string) => checks.find((one) => one.name === name);
    expect(check("hooks")).toMatchObject({ status: "ok" });
    expect(check("codex-hooks")).toMatchObject({
      status: "warn",
      hint: expect.stringContaining("does not trust this project"),
    });
    expect(check("gemini-hooks")).toMatchObject({
      status: "warn",
      hint: expect.stringContaining("until it trusts the folder"),
    });
    expect(check("mcp")!.message).toBe(
      "the MCP server is registered with Claude Code (.mcp.json), Codex CLI (.codex/config.toml), Gemini CLI (.gemini/settings.json)",
    );
    expect(check("instructions")).toMatchObject({ status: "ok" });

    const disabled = await json("disable");
    expect(disabled.files.sort()).toEqual(everyFile);
    expect(disabled.kept).toEqual([]);
    expect(filesOf(cwd)).toEqual(before);
    expect(existsSync(join(cwd, ".gemini"))).toBe(false);
    // They come back only on request, and then as they were.
    await json("init");
    expect(filesOf(cwd)).toEqual(before);
    expect((await json("enable")).restored).toContain(".codex/config.toml");
    expect(filesOf(cwd)).toEqual(after);
  });

  it("does for the agents that are named what the options say", async () => {
    const { agents, hooks } = await json("init", "--team", "--agent", "codex,gemini", "--instructions");
    expect(hooks).toEqual({ state: "skipped", reason: "--agent" });
    expect(agents.map(({ agent }: { agent: string }) => agent)).toEqual(["codex", "gemini"]);
    expect(Object.keys(filesOf(cwd))).toEqual([
      ".agents/skills/pommel/SKILL.md",
      ".codex/hooks.json",
      ".gemini/settings.json",
      "AGENTS.md",
      "GEMINI.md",
    ]);
    const { checks } = await json("doctor");
    expect(checks.find(({ name }: { name: string }) => name === "hooks")).toMatchObject({
      status: "ok",
      message: "Claude Code is not used here",
    });
    // Nor does enable add an agent that was not chosen.
    const chosen = filesOf(cwd);
    expect(await json("enable")).toMatchObject({ file: null, added: [], restored: [] });
    expect(filesOf(cwd)).toEqual(chosen);
    await json("disable");
    expect(filesOf(cwd)).toEqual({});
    await json("enable");
    expect(filesOf(cwd)).toEqual(chosen);
    await json("init", "--agent", "claude", "--no-hooks", "--mcp");
    expect(Object.keys(filesOf(cwd))).toEqual([
      ".agents/skills/pommel/SKILL.md",
      ".codex/hooks.json",
      ".gemini/settings.json",
      ".mcp.json",
      "AGENTS.md",
      "GEMINI.md",
    ]);
    expect(await run("init", "--agent", "codex,emacs")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Unknown agent: emacs"),
    });
  });

  it("renews what an older Pommel wrote, and leaves alone what somebody changed", async () => {
    await json("init", "--team", "--agent", "claude,codex", "--instructions");
    const fresh = filesOf(cwd);
    const edited = fresh["AGENTS.md"]!.replace("call `recall`", "do not call `recall`");
    put(cwd, { "AGENTS.md": edited });
    const { agents, changed } = await json("init", "--agent", "claude,codex", "--instructions");
    expect(agents[1].instructions).toMatchObject({ state: "kept", file: "AGENTS.md" });
    expect(changed).toEqual([]);
    expect(filesOf(cwd)["AGENTS.md"]).toBe(edited);
    put(cwd, { ".claude/CLAUDE.md": `# Rules\n\n${writtenBefore("Ask Pommel first.")}` });
    // Also without another request.
    expect((await json("init")).changed).toEqual([".claude/CLAUDE.md"]);
    expect(filesOf(cwd)[".claude/CLAUDE.md"]).toBe(`# Rules\n\n${fresh[".claude/CLAUDE.md"]}`);
    const { kept } = await json("disable");
    expect(kept).toEqual([{ file: "AGENTS.md", reason: expect.stringContaining("edited") }]);
    expect(filesOf(cwd)).toEqual({ ".claude/CLAUDE.md": "# Rules\n", "AGENTS.md": edited });
  });
});

describe("pm init --local", () => {
  const status = () => execFileSync("git", ["status", "--porcelain"], { cwd, encoding: "utf8" });
  const exclude = () => readFileSync(join(cwd, ".git/info/exclude"), "utf8");

  it("sets agents up in files that are in no commit and not in git's status, and takes all of it back", async () => {
    put(home, { ".codex/config.toml": "", ".claude.json": '{"projects": {"/other": {}}}' });
    mkdirSync(join(home, ".claude"));
    const [before, excluded] = [filesOf(home), exclude()];
    const { scope, agents } = await json("init", "--local", "--yes", "--instructions", "--no-start");
    expect(scope).toBe("local");
    expect(agents[0]).toMatchObject({
      hooks: { file: ".claude/settings.local.json" },
      mcp: { file: join(home, ".claude.json") },
      permissions: { file: ".claude/settings.local.json" },
      instructions: { file: "CLAUDE.local.md" },
    });
    expect(JSON.parse(filesOf(home)[".claude.json"]!).projects).toEqual({
      "/other": {},
      [cwd]: {
        mcpServers: {
          pommel: { type: "stdio", command: "pommel", args: ["mcp"], alwaysLoad: true, deferTools: "never" },
        },
      },
    });
    expect(status()).toBe("");
    const after = filesOf(cwd);
    expect(Object.keys(after)).not.toContain(".claude/settings.json");
    // It stays like that, whoever runs it again, and comes back like that.
    expect(await json("init", "--yes", "--no-start")).toMatchObject({
      scope: "local",
      created: [],
      changed: [],
    });
    expect((await json("disable")).git.files).toContain(".git/info/exclude");
    expect([filesOf(cwd), filesOf(home), exclude()]).toEqual([{}, before, excluded]);
    await json("enable");
    expect([filesOf(cwd), status()]).toEqual([after, ""]);
  });

  it("changes nothing that everybody shares", async () => {
    put(home, { ".codex/config.toml": "", ".claude/settings.json": "{}" });
    put(cwd, { "AGENTS.md": "# Rules\n", ".codex/hooks.json": "{}" });
    execFileSync("git", ["add", "."], { cwd });
    const { agents } = await json("init", "--local", "--yes", "--instructions", "--no-start");
    expect(agents[1]).toMatchObject({
      hooks: { state: "skipped", reason: expect.stringContaining("git tracks .codex/hooks.json") },
      mcp: { state: "installed" },
      instructions: { state: "skipped" },
    });
    expect(filesOf(cwd)["AGENTS.md"]).toBe("# Rules\n");
    expect(status()).toBe("A  .codex/hooks.json\nA  AGENTS.md\n");
  });

  it("gives way to --team, which moves what is there to files to commit", async () => {
    await json("init", "--local", "--agent", "claude", "--mcp");
    const { scope } = await json("init", "--team");
    expect(scope).toBe("team");
    expect(Object.keys(filesOf(cwd))).toEqual([".claude/settings.json", ".mcp.json"]);
    expect(filesOf(home)).toEqual({});
    expect(status()).toBe("?? .claude/\n?? .mcp.json\n");
    expect(await run("init", "--team", "--local")).toMatchObject({ code: 2 });
  });
});

describe("pm setup", () => {
  it("sets up the user's agents in the home, makes no project, and is taken back", async () => {
    put(home, {
      ".claude.json": '{"numStartups": 3, "projects": {}}',
      ".codex/config.toml": 'model = "o"\n',
      ".gemini/settings.json": '{\n  "ui": {}\n}\n',
    });
    put(home, { ".claude/settings.json": "{}\n" });
    const before = filesOf(home);
    const { home: where, agents } = await json("setup", "--yes", "--no-import");
    expect(where).toBe(home);
    expect(agents).toHaveLength(3);
    const after = filesOf(home);
    expect(Object.keys(after)).toEqual(
      [
        ".claude.json",
        ".claude/settings.json",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".gemini/settings.json",
      ].sort(),
    );
    expect(JSON.parse(after[".claude.json"]!)).toMatchObject({
      numStartups: 3,
      mcpServers: { pommel: { command: "pommel", args: ["mcp"] } },
    });
    expect(existsSync(join(cwd, ".pommel"))).toBe(false);
    expect(filesOf(cwd)).toEqual({});

    await json("init", "--no-hooks");
    const { checks } = await json("doctor");
    expect(checks.find(({ name }: { name: string }) => name === "hooks")).toMatchObject({
      status: "ok",
      message: expect.stringContaining("~/.claude/settings.json"),
    });
    // It needs no project either.
    expect(await json("disable", "--global")).toMatchObject({ changed: true, kept: [], git: null });
    expect(filesOf(home)).toEqual(before);

    // A variable is stronger than the file, so it is not said that nothing is recorded.
    const said = await callPm(["disable", "--global"], {
      cwd,
      env: { ...env(), POMMEL_SESSIONS_RECORD: "all" },
    });
    expect(said.stdout).toContain("POMMEL_SESSIONS_RECORD=all is set here and wins");
    expect(said.stdout).not.toContain("Nothing more is recorded");
    expect((await run("disable", "--global")).stdout).toContain("Nothing more is recorded in any project");
  });

  it("replaces pm init --global", async () => {
    const { code, stderr } = await run("init", "--global", "--yes");
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("pm setup") });
    expect(filesOf(home)).toEqual({});
  });
});

describe("pm hook --agent", () => {
  const items = () => {
    const names = existsSync(spool()) ? readdirSync(spool()).sort() : [];
    return names.map((name) => JSON.parse(readFileSync(join(spool(), name), "utf8")));
  };
  const hook = (args: string[], payload: object, dir = cwd) =>
    runPm(["hook", ...args], { cwd: dir, env: env(), input: JSON.stringify(payload) });
  const silence = { code: 0, stdout: "", stderr: "" };
  const payload = (more: object) => ({ session_id: "s-1", transcript_path: "/t/s-1.jsonl", cwd, ...more });
  beforeEach(async () => {
    await json("init", "--no-hooks");
  });

  it.each([
    [
      "codex",
      "user-prompt",
      { hook_event_name: "UserPromptSubmit", prompt: "Note to Pommel: we chose Redis" },
      "user-prompt",
    ],
    [
      "codex",
      "subagent-stop",
      { hook_event_name: "SubagentStop", agent_id: "a", agent_type: "default" },
      "subagent-stop",
    ],
    ["codex", "handle", { hook_event_name: "SessionEnd", reason: "other" }, "session-end"],
    [
      "gemini",
      "user-prompt",
      { hook_event_name: "BeforeAgent", prompt: "Note to Pommel: we chose Redis" },
      "user-prompt",
    ],
    ["gemini", "handle", { hook_event_name: "AfterAgent", prompt_response: "text" }, "stop"],
    ["gemini", "handle", { hook_event_name: "AfterTool", tool_name: "replace" }, "post-tool-use"],
    ["gemini", "pre-compact", { hook_event_name: "PreCompress", trigger: "manual" }, "pre-compact"],
  ])("%s %s spools what happened as that agent's", async (agent, name, more, event) => {
    const { stdout, ...rest } = await hook(["--agent", agent, name], payload(more));
    expect(rest).toMatchObject({ code: 0, stderr: "" });
    // The person is told what was noted.
    expect(stdout).toMatch(event === "user-prompt" ? /^\{"systemMessage":"Noted: we chose Redis\./ : /^$/);
    expect(items()).toEqual([
      expect.objectContaining({
        kind: "agent-hook",
        agent,
        event,
        payload: expect.objectContaining({ session_id: "s-1" }),
      }),
    ]);
    expect(JSON.stringify(items())).not.toContain("prompt_response");
  });

  it("leaves out what Gemini CLI says before every request", async () => {
    const before = payload({ hook_event_name: "PreCompress", trigger: "auto" });
    expect(await hook(["--agent", "gemini", "pre-compact"], before)).toMatchObject(silence);
    expect(items()).toEqual([]);
  });

  it("finds the project by where that agent was launched, not by another one's word", async () => {
    const elsewhere = temporaryDir();
    await callPm(["init", "--no-hooks"], { cwd: elsewhere, env: env() });
    const input = JSON.stringify(payload({ hook_event_name: "Stop" }));
    await runPm(["hook", "--agent", "codex", "stop"], {
      cwd,
      env: { ...env(), CLAUDE_PROJECT_DIR: elsewhere },
      input,
    });
    expect(items()).toEqual([expect.objectContaining({ place: cwd })]);
  });

  it("of the plugin leaves it to the same hook in settings, of the project or the user", async () => {
    const input = JSON.stringify(payload({ hook_event_name: "SessionEnd" }));
    const ofPlugin = () =>
      runPm(["hook", "session-end"], {
        cwd,
        env: { ...env(), CLAUDE_PLUGIN_ROOT: "/plugins/pommel" },
        input,
      });
    expect(await ofPlugin()).toMatchObject(silence);
    expect(items()).toHaveLength(1);
    // Another hook is none of this one's.
    put(cwd, { ".claude/settings.json": '{"hooks":{"Stop":[{"hooks":[{"command":"pm hook stop"}]}]}}' });
    await ofPlugin();
    expect(items()).toHaveLength(2);
    await json("enable", "--claude", "--local");
    await ofPlugin();
    expect(items()).toHaveLength(2);
    await json("disable");
    await ofPlugin();
    expect(items()).toHaveLength(3);
    await json("setup", "--yes", "--agent", "claude", "--no-import");
    await run("stop");
    const left = items();
    expect(await ofPlugin()).toMatchObject(silence);
    expect(items()).toEqual(left);
  });

  it("never exits with a code that could stop the agent", async () => {
    for (const args of [
      ["--agent"],
      ["--agent", "emacs", "stop"],
      ["--agent", "codex"],
      ["--agent", "codex", "stop", "x"],
      ["stop", "--agent"],
    ]) {
      expect(await hook(args, payload({ hook_event_name: "Stop" }))).toMatchObject({ code: 0, stdout: "" });
    }
  });
});

/** What the real clients hand to their hooks. */
const fixtures = resolve(process.env.POMMEL_SHARED ?? "../shared", "fixtures");
const hookEvents = ["codex", "gemini"].flatMap((agent) => {
  const dir = join(fixtures, agent, "hooks");
  return existsSync(dir) ? readdirSync(dir).map((name) => [agent, name] as const) : [];
});
/** Events that no hook uses. */
const ignored = /^(?:Interrupt|PostCompact|PreToolUse|SubagentStart|BeforeTool|PreCompress)\./;

describe.skipIf(hookEvents.length === 0)(
  `events of real clients (skipped where ${fixtures} is missing)`,
  () => {
    it.each(hookEvents)("%s %s is recorded silently, without the conversation", async (agent, name) => {
      await json("init", "--no-hooks");
      const payload = JSON.parse(readFileSync(join(fixtures, agent, "hooks", name), "utf8"));
      // Where it happened is not here.
      const input = JSON.stringify({ ...payload, cwd });
      const result = await runPm(["hook", "--agent", agent, "handle"], { cwd, env: env(), input });
      expect(result).toMatchObject({ code: 0, stdout: "", stderr: "" });
      const items = existsSync(spool()) ? readdirSync(spool()) : [];
      if (agent === "codex" && name.startsWith("PreCompact")) expect(items).toHaveLength(1);
      else expect(items).toHaveLength(ignored.test(name) ? 0 : 1);
      if (items.length === 0) return;
      const item = JSON.parse(readFileSync(join(spool(), items[0]!), "utf8"));
      expect(item).toMatchObject({ agent, payload: { session_id: payload.session_id } });
      for (const said of ["prompt", "last_assistant_message", "tool_response", "prompt_response"]) {
        expect(item.payload).not.toHaveProperty(said);
      }
    });
  },
);

/** A section as a Pommel that said `body` would have written it. */
function writtenBefore(body: string): string {
  const hash = createHash("sha256").update(body).digest("hex").slice(0, 8);
  return `<!-- pommel:begin v0 ${hash} -->\n${body}\n<!-- pommel:end -->\n`;
}
