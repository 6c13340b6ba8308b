import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { locateHome, locateRegistry } from "../../base/home.ts";
import { makeProject } from "../../base/paths.ts";
import { Registry } from "../../store/registry.ts";
import { makeHookGroup } from "../setup/hook-entries.ts";
import type { SetupTarget } from "../setup.ts";
import { claudeHooks, claudeSetup } from "./setup.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const json = (path: string) => JSON.parse(readFileSync(join(repository, path), "utf8"));

describe("the plugin", () => {
  test("has the same hooks and MCP server as the settings", () => {
    const groups = claudeHooks.hooks.map((hook) => [hook.event, [makeHookGroup(claudeHooks, hook)]]);
    expect(json("plugin/hooks/hooks.json").hooks).toEqual(Object.fromEntries(groups));
    const mcp = claudeSetup.parts.find(({ name }) => name === "mcp")!;
    const place: SetupTarget = { scope: "project", dir: "/p", recordFile: "/p/setup.json", env: {} };
    expect(json("plugin/.mcp.json")).toEqual(
      JSON.parse(mcp.chooseEditor(place, "/p/.mcp.json").add("", "").text),
    );
  });

  test("has the version and the licence of the package, and is in the marketplace", () => {
    const { version, license, files } = json("package.json");
    expect(json("plugin/.claude-plugin/plugin.json")).toMatchObject({ name: "pommel", version, license });
    expect(json(".claude-plugin/marketplace.json").plugins).toEqual([
      expect.objectContaining({ name: "pommel", source: "./plugin" }),
    ]);
    expect(files).toEqual(expect.arrayContaining(["plugin", ".claude-plugin"]));
  });
});

test("only who wants context after failures has the hook for it", () => {
  const env = { HOME: mkdtempSync(join(tmpdir(), "pommel-failure-")) };
  const place: SetupTarget = { scope: "user", dir: env.HOME, recordFile: join(env.HOME, "setup.json"), env };
  const { chooseEditor } = claudeSetup.parts.find(({ name }) => name === "hooks")!;
  const added = (kinds: string) => {
    const editor = chooseEditor({ ...place, env: { ...env, POMMEL_CONTEXT_KINDS: kinds } }, "settings.json");
    return editor.add("", "settings.json");
  };
  expect(added("start,prompt").added).not.toContain("PostToolUseFailure");
  const { text, added: events } = added("start,failure");
  expect(events).toContain("PostToolUseFailure");
  // Without the kind it goes as well.
  expect(JSON.parse(chooseEditor(place, "settings.json").remove(text, "settings.json", []))).toEqual({});
  rmSync(env.HOME, { recursive: true });
});

test("a hook that is there runs for more where a setting wants that, and goes with it", () => {
  const env = { HOME: mkdtempSync(join(tmpdir(), "pommel-wider-")) };
  const place: SetupTarget = { scope: "user", dir: env.HOME, recordFile: join(env.HOME, "setup.json"), env };
  const { chooseEditor } = claudeSetup.parts.find(({ name }) => name === "hooks")!;
  const editor = (more: Record<string, string> = {}) =>
    chooseEditor({ ...place, env: { ...env, ...more } }, "settings.json");
  const radar = editor({ POMMEL_RADAR_WARN: "true" });
  const rules = editor({ POMMEL_RULES_CHECK: "true" });
  const before = (text: string) => {
    const { PreToolUse: groups } = (
      JSON.parse(text) as { hooks: { PreToolUse: { matcher: string; hooks: { command: string }[] }[] } }
    ).hooks;
    expect(groups).toHaveLength(1);
    return { matcher: groups[0]!.matcher, command: groups[0]!.hooks[0]!.command };
  };
  let { text } = editor().add("", "settings.json");
  expect(radar.look(text, "settings.json")).toEqual({ state: "partial", detail: ["PreToolUse"] });
  ({ text } = radar.add(text, "settings.json"));
  expect(before(text)).toMatchObject({ matcher: "Grep|Glob|Bash|Edit|Write|MultiEdit|NotebookEdit" });
  expect(before(text).command).toMatch(/\*'grep'\*.*\*'Edit'\*/);
  expect(radar.look(text, "settings.json").state).toBe("current");
  expect(editor().look(text, "settings.json").state).toBe("current");
  const reading = editor({ POMMEL_CONTEXT_KINDS: "start,search,read" });
  const added = before(reading.add("", "settings.json").text);
  expect(added.matcher).toBe("Grep|Glob|Bash|Read");
  expect(added.command).toMatch(/\*'grep'\*.*\*'"Read"'\*/);
  const alone = before(editor({ POMMEL_CONTEXT_KINDS: "read" }).add("", "settings.json").text);
  expect(alone).toMatchObject({ matcher: "Read", command: expect.not.stringContaining("grep") });
  // Rules are about any command.
  expect(rules.look(text, "settings.json").state).toBe("partial");
  ({ text } = rules.add(text, "settings.json"));
  expect(before(text).command).not.toContain("grep");
  expect(before(text).matcher).toBe(
    "^(?:Grep|Glob|Bash|Edit|Write|MultiEdit|NotebookEdit|WebFetch|WebSearch|Agent|Task|mcp__.*)$",
  );
  expect(rules.look(text, "settings.json").state).toBe("current");
  expect(radar.look(text, "settings.json").state).toBe("current");
  expect(JSON.parse(editor().remove(text, "settings.json", []))).toEqual({});
  rmSync(env.HOME, { recursive: true });
});

test("the person's own hooks serve what any of their projects turned on", () => {
  const env = { HOME: mkdtempSync(join(tmpdir(), "pommel-any-project-")) };
  const place: SetupTarget = { scope: "user", dir: env.HOME, recordFile: join(env.HOME, "setup.json"), env };
  const { chooseEditor } = claudeSetup.parts.find(({ name }) => name === "hooks")!;
  const readMatcher = () => {
    const { hooks } = JSON.parse(chooseEditor(place, "settings.json").add("", "settings.json").text);
    return hooks.PreToolUse[0].matcher as string;
  };
  const home = locateHome(env);
  const registry = Registry.open(locateRegistry(home));
  const addProject = (id: string, settings: string) => {
    const identity = { roots: [], remotes: [], within: "" };
    const standing = { isNamed: true, isOff: false, createdAt: 0, lastUsedAt: 0 };
    registry.saveProject({ id, name: id, ...identity, ...standing });
    const { configFile } = makeProject(id, "/", home);
    mkdirSync(dirname(configFile), { recursive: true });
    writeFileSync(configFile, settings);
  };
  addProject("plain", "");
  addProject("broken", "[radar");
  expect(readMatcher()).toBe("Grep|Glob|Bash");
  addProject("watching", "[radar]\nwarn = true\n");
  expect(readMatcher()).toBe("Grep|Glob|Bash|Edit|Write|MultiEdit|NotebookEdit");
  addProject("reading", '[context]\nkinds = ["read"]\n');
  expect(readMatcher()).toContain("|Read");
  Registry.close(locateRegistry(home));
  rmSync(env.HOME, { recursive: true });
});

describe("parts from the plugin", () => {
  let home: string;
  let place: SetupTarget;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "pommel-plugin-"));
    mkdirSync(join(home, "repo/.claude"), { recursive: true });
    mkdirSync(join(home, ".claude"));
    const dir = join(home, "repo");
    place = { scope: "project", dir, recordFile: join(home, "setup.json"), env: { HOME: home } };
  });
  afterEach(() => rmSync(home, { recursive: true }));
  const say = (file: string, on: boolean) =>
    writeFileSync(join(home, file), JSON.stringify({ enabledPlugins: { "other@x": true, "pommel@y": on } }));

  test("are none without it, or where nearer settings disable it", () => {
    expect(claudeSetup.fromPlugin(place)).toEqual([]);
    say(".claude/settings.json", true);
    expect(claudeSetup.fromPlugin(place)).toEqual(["hooks", "mcp", "skill"]);
    expect(claudeSetup.fromPlugin({ ...place, scope: "user", dir: home })).toContain("mcp");
    say("repo/.claude/settings.json", false);
    expect(claudeSetup.fromPlugin(place)).toEqual([]);
    say("repo/.claude/settings.local.json", true);
    expect(claudeSetup.fromPlugin(place)).toContain("hooks");
  });

  test("of the user follow CLAUDE_CONFIG_DIR", () => {
    const env = { HOME: home, CLAUDE_CONFIG_DIR: join(home, "elsewhere") };
    const own: SetupTarget = { ...place, scope: "user", dir: home, env };
    const files = claudeSetup.parts.flatMap((part) => part.files(own));
    expect(files.map((file) => file.slice(home.length + 1))).toEqual([
      "elsewhere/settings.json",
      "elsewhere/.claude.json",
      "elsewhere/settings.json",
      "elsewhere/CLAUDE.md",
      "elsewhere/skills/pommel/SKILL.md",
    ]);
    const usual = claudeSetup.parts.flatMap((part) => part.files({ ...own, env: { HOME: home } }));
    expect(usual.map((file) => file.slice(home.length + 1))).toEqual([
      ".claude/settings.json",
      ".claude.json",
      ".claude/settings.json",
      ".claude/CLAUDE.md",
      ".claude/skills/pommel/SKILL.md",
    ]);
  });
});

test("Claude Code is used where the project or the home has its directory", () => {
  const home = mkdtempSync(join(tmpdir(), "pommel-used-"));
  const dir = join(home, "repo");
  const isUsed = (env: NodeJS.ProcessEnv) =>
    claudeSetup.isUsed({ scope: "project", dir, recordFile: join(home, "setup.json"), env });
  expect(isUsed({ HOME: home })).toBe(false);
  mkdirSync(join(home, ".claude"));
  expect(isUsed({ HOME: home })).toBe(true);
  expect(isUsed({ HOME: home, CLAUDE_CONFIG_DIR: join(home, "elsewhere") })).toBe(false);
  mkdirSync(join(dir, ".claude"), { recursive: true });
  expect(isUsed({ HOME: home, CLAUDE_CONFIG_DIR: join(home, "elsewhere") })).toBe(true);
  rmSync(home, { recursive: true });
});
