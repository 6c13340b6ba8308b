import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeHookGroup } from "../setup/hook-entries.ts";
import type { Place } from "../setup.ts";
import { claudeHooks, claudeSetup } from "./setup.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const json = (path: string) => JSON.parse(readFileSync(join(repository, path), "utf8"));

describe("the plugin", () => {
  test("has the same hooks and MCP server as the settings", () => {
    const groups = claudeHooks.hooks.map((hook) => [hook.event, [makeHookGroup(claudeHooks, hook)]]);
    expect(json("plugin/hooks/hooks.json").hooks).toEqual(Object.fromEntries(groups));
    const mcp = claudeSetup.parts.find(({ name }) => name === "mcp")!;
    const place: Place = { scope: "project", dir: "/p", recordFile: "/p/setup.json", env: {} };
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
  const place: Place = { scope: "user", dir: env.HOME, recordFile: join(env.HOME, "setup.json"), env };
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

describe("parts from the plugin", () => {
  let home: string;
  let place: Place;
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
    const own: Place = { ...place, scope: "user", dir: home, env };
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
