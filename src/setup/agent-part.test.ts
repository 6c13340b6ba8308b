import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { namedProject } from "../../test/support/named-project.ts";
import { localSettings } from "../agents/claude/setup.ts";
import { setupNames } from "../agents/profiles.ts";
import type { PartName, SetupTarget } from "../agents/setup.ts";
import type { Project } from "../base/paths.ts";
import { type AgentPart, listAgentParts } from "./agent-part.ts";
import { makeProjectPlace, readRecord } from "./record.ts";

const sharedSettings = ".claude/settings.json";
let project: Project;
let place: SetupTarget;
let file: string;
beforeEach(() => {
  project = namedProject(realpathSync(mkdtempSync(join(tmpdir(), "pommel-install-"))));
  place = makeProjectPlace(project, { env: { HOME: join(project.root, "home") } });
  file = join(project.root, sharedSettings);
});
afterEach(() => rmSync(project.root, { recursive: true, force: true }));

function put(text: string | Buffer): void {
  mkdirSync(join(project.root, ".claude"), { recursive: true });
  writeFileSync(file, text);
}

const filesIn = (dir: string) => readdirSync(join(project.root, dir)).sort();

const partOf = (agent: string, name: PartName): AgentPart =>
  listAgentParts(place).find(({ key }) => key === `${agent}/${name}`)!;
const putIn = (part: AgentPart) => part.put()[0];
const hooks = () => partOf("claude", "hooks");
const installHooks = (settings = sharedSettings) => putIn(hooks().narrowToFile(join(project.root, settings)));
const removeHooks = () =>
  hooks()
    .take()
    .map((taken) => taken.file);
const hooksState = () => hooks().look();

describe("installing hooks", () => {
  it("creates a missing file, and removes it and its directory again", () => {
    expect(hooksState()).toMatchObject({ state: "absent", file: null });
    expect(installHooks()).toMatchObject({ file: sharedSettings, outcome: "created" });
    expect(hooksState()).toMatchObject({ state: "current", file: sharedSettings, detail: [] });
    const text = readFileSync(file, "utf8");
    expect(installHooks()).toMatchObject({ outcome: "already", added: [] });
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(statSync(join(project.setupDir, "setup.json")).mode & 0o777).toBe(0o600);

    expect(removeHooks()).toEqual([sharedSettings]);
    expect(existsSync(join(project.root, ".claude"))).toBe(false);
    expect(removeHooks()).toEqual([]);
    expect(hooksState()).toMatchObject({ state: "absent" });
    expect(installHooks()).toMatchObject({ outcome: "created" });
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(hooksState()).toMatchObject({ state: "current" });
  });

  it("keeps a directory that is not empty", () => {
    installHooks();
    writeFileSync(join(project.root, ".claude/notes.md"), "");
    removeHooks();
    expect(filesIn(".claude")).toEqual(["notes.md"]);
  });

  it.each([
    ["", "empty"],
    ["\n", "blank"],
    ["\ufeff{}\r\n", "with a byte order mark"],
    ['{"hooks": {"Stop": []}, "model": "opus"}', "with empty containers"],
  ])("restores %j, %s, byte for byte", (text) => {
    put(text);
    installHooks();
    expect(readFileSync(file, "utf8").startsWith("\ufeff")).toBe(text.startsWith("\ufeff"));
    expect(hooksState().state).toBe("current");
    removeHooks();
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("removes only Pommel's part when the file was changed since", () => {
    put('{"hooks": {"Stop": []}}');
    installHooks();
    const settings = JSON.parse(readFileSync(file, "utf8"));
    settings.permissions = { allow: ["Bash(ls:*)"] };
    settings.hooks.SessionEnd.push({ hooks: [{ type: "command", command: "say bye" }] });
    put(JSON.stringify(settings));
    removeHooks();
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      hooks: { Stop: [], SessionEnd: [{ hooks: [{ type: "command", command: "say bye" }] }] },
      permissions: { allow: ["Bash(ls:*)"] },
    });
  });

  it("removes a file that it created and that was only reformatted", () => {
    installHooks();
    put(JSON.stringify(JSON.parse(readFileSync(file, "utf8"))));
    removeHooks();
    expect(existsSync(file)).toBe(false);
  });

  it("removes hooks that were committed by others", () => {
    installHooks();
    rmSync(join(project.setupDir, "setup.json"));
    removeHooks();
    expect(readFileSync(file, "utf8")).toBe("{}\n");
  });

  it("adds removed hooks again, and still restores the original file", () => {
    put('{\n  "model": "opus"\n}\n');
    installHooks();
    const settings = JSON.parse(readFileSync(file, "utf8"));
    delete settings.hooks.Stop;
    put(`${JSON.stringify(settings, null, 2)}\n`);
    expect(hooksState()).toMatchObject({ state: "partial", detail: ["Stop"] });
    expect(installHooks()).toMatchObject({ outcome: "changed", added: ["Stop"] });
    removeHooks();
    expect(readFileSync(file, "utf8")).toBe('{\n  "model": "opus"\n}\n');
  });

  it("distinguishes the personal and the shared file, and counts both", () => {
    installHooks(localSettings);
    expect(existsSync(file)).toBe(false);
    expect(hooksState()).toMatchObject({ state: "current", file: localSettings });
    installHooks();
    expect(hooksState()).toMatchObject({ state: "current", file: sharedSettings });
    expect(removeHooks()).toEqual([sharedSettings, localSettings]);
    expect(hooksState().state).toBe("absent");
  });

  it("keeps permissions and links", () => {
    const elsewhere = join(project.root, "dotfiles");
    mkdirSync(elsewhere);
    const target = join(elsewhere, "claude.json");
    writeFileSync(target, "{}\n", { mode: 0o640 });
    chmodSync(target, 0o640);
    mkdirSync(join(project.root, ".claude"));
    symlinkSync("../dotfiles/claude.json", file);
    installHooks();
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(statSync(target).mode & 0o777).toBe(0o640);
    expect(JSON.parse(readFileSync(target, "utf8")).hooks).toBeDefined();
    expect([filesIn(".claude"), filesIn("dotfiles")]).toEqual([["settings.json"], ["claude.json"]]);
    removeHooks();
    expect(readFileSync(target, "utf8")).toBe("{}\n");
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
  });

  it("follows a link to a missing file", () => {
    mkdirSync(join(project.root, ".claude"));
    symlinkSync("../settings-to-be.json", file);
    installHooks();
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(existsSync(join(project.root, "settings-to-be.json"))).toBe(true);
    removeHooks();
    expect(existsSync(join(project.root, "settings-to-be.json"))).toBe(false);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
  });

  it.each([
    ["comments", '{\n  "a": 1, // mine\n}', "settings.json:2:11"],
    ["bytes that are no UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), "settings.json:1:1"],
    ["hooks of another type", '{"hooks": {"Stop": {"command": "x"}}}', "settings.json:1:20"],
  ])("leaves a file with %s as it is", (_, content, where) => {
    put(content);
    const refusal = expect.objectContaining({
      code: "settings_invalid",
      message: expect.stringContaining(join(project.root, ".claude", where)),
    });
    expect(() => installHooks()).toThrow(refusal);
    expect(() => removeHooks()).toThrow(refusal);
    expect(hooksState()).toMatchObject({ error: refusal });
    expect(readFileSync(file)).toEqual(Buffer.from(content));
    expect(filesIn(".claude")).toEqual(["settings.json"]);
  });

  it("reports a file that cannot be read or written", () => {
    mkdirSync(file, { recursive: true });
    expect(() => installHooks()).toThrow(expect.objectContaining({ code: "unreadable" }));
    rmSync(join(project.root, ".claude"), { recursive: true });
    writeFileSync(join(project.root, ".claude"), "a file");
    expect(() => installHooks()).toThrow(expect.objectContaining({ code: "unreadable" }));
  });
});

describe("every part of every agent", () => {
  const anywhere: SetupTarget = { scope: "project", dir: "/p", recordFile: "/p/setup.json", env: {} };
  const all = listAgentParts(anywhere).map((part) => [part.owner, part.name] as const);

  const putAll = () => {
    for (const part of listAgentParts(place)) part.put();
  };
  const takeAll = () => {
    for (const agent of setupNames)
      for (const part of listAgentParts(place).reverse()) if (part.owner === agent) part.take();
  };
  const everything = () =>
    readdirSync(project.root, { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== "setup.json")
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path, readFileSync(path, "utf8")]);

  it.each(all)("is added, and removed without a trace: %s %s", (agent, name) => {
    const part = partOf(agent, name);
    expect(part.look().state).toBe("absent");
    expect(putIn(part).outcome).toBe("created");
    expect(part.look()).toMatchObject({ state: "current", detail: [], error: null });
    const written = everything();
    expect(putIn(part).outcome).toBe("already");
    expect(everything()).toEqual(written);
    expect(part.take()).toMatchObject([{ outcome: "removed" }]);
    expect(filesIn(".")).toEqual([]);
    expect(readdirSync(project.setupDir)).toEqual([]);
  });

  it("coexists with the others, and all are removed together", () => {
    putAll();
    for (const part of listAgentParts(place)) expect(part.look().state).toBe("current");
    takeAll();
    expect(filesIn(".")).toEqual([]);
    expect(readRecord(place)).toEqual({ disabled: false, taken: [], dirs: [], files: {} });
  });

  it("can be removed alone, and in any order, from a file with several", () => {
    put('{\n  "model": "opus"\n}\n');
    const permissions = partOf("claude", "permissions");
    putIn(hooks());
    putIn(permissions);
    hooks().take();
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      model: "opus",
      permissions: { allow: ["mcp__pommel"] },
    });
    permissions.take();
    expect(readFileSync(file, "utf8")).toBe('{\n  "model": "opus"\n}\n');
  });

  it.each([
    ["LF", "\n"],
    ["CRLF", "\r\n"],
  ])("restores other content byte for byte, with %s, with and without a final line break", (_, eol) => {
    const texts: Record<string, string[]> = {
      ".claude/settings.json": [
        '{ "permissions": { "allow": [ "Bash(ls:*)" ] } }',
        '{"permissions":{"allow":[]},"hooks":{}}',
      ],
      ".mcp.json": [
        '{\n    "mcpServers": {\n        "other": { "command": "x" }\n    }\n}',
        '{"mcpServers":{}}',
      ],
      ".claude/CLAUDE.md": ["# Rules\n\nNo tabs.", "# Rules\n\n\n"],
      ".codex/hooks.json": ['{\n\t"hooks": {}\n}', "{}\n"],
      ".codex/config.toml": [
        'model = "o" # mine\n\n[mcp_servers.other]\ncommand = "x"',
        '[projects."/p"]\ntrust_level = "trusted"\n',
      ],
      "AGENTS.md": ["Be brief.\nTruly.", "\n"],
      ".gemini/settings.json": [
        '{"mcpServers": {"other": {"command": "x"}}, "hooks": {"BeforeAgent": []}}',
        '{\n  "ui": {}\n}\n',
      ],
      "GEMINI.md": ["Be brief.\n", "a\n\n\nb\n"],
    };
    for (const which of [0, 1]) {
      for (const end of ["", "\n"]) {
        for (const [name, options] of Object.entries(texts)) {
          const path = join(project.root, name);
          mkdirSync(join(path, ".."), { recursive: true });
          writeFileSync(path, (options[which]! + end).replaceAll("\n", eol));
        }
        const before = everything();
        putAll();
        for (const [path, text] of everything()) {
          if (before.some(([name, old]) => name === path && old!.includes("\r\n")))
            expect(text, path).not.toMatch(/[^\r]\n/);
        }
        takeAll();
        expect(everything()).toEqual(before);
        // Later additions stay, and Pommel's part is still removed.
        putAll();
        for (const name of ["AGENTS.md", "GEMINI.md", ".claude/CLAUDE.md", ".codex/config.toml"]) {
          const path = join(project.root, name);
          writeFileSync(path, `# On top${eol}${readFileSync(path, "utf8")}# Below${eol}`);
        }
        takeAll();
        for (const [path, text] of everything()) {
          expect(text, path).not.toMatch(/pommel/i);
          if (/AGENTS|GEMINI|CLAUDE|toml/.test(path!)) expect(text).toMatch(/^# On top[\s\S]*# Below\r?\n$/);
        }
      }
    }
  });
});

describe("instructions", () => {
  const instructions = () => partOf("codex", "instructions");
  const path = () => join(project.root, "AGENTS.md");

  it("are short, and begin and end with a marker", () => {
    putIn(instructions());
    const lines = readFileSync(path(), "utf8").trimEnd().split("\n");
    expect(lines[0]).toMatch(/^<!-- pommel:begin v4 [0-9a-f]{8} /);
    expect(lines.at(-1)).toBe("<!-- pommel:end -->");
    expect(lines.length - 2).toBeLessThanOrEqual(25);
  });

  it("of an older Pommel are updated in place, and removed without a trace", () => {
    const old = "<!-- pommel:begin v0 b7925e38 -->\nAsk Pommel.\n<!-- pommel:end -->";
    writeFileSync(path(), `# Mine\n\n${old}\n\nMore of mine.\n`);
    expect(instructions().look().state).toBe("outdated");
    expect(putIn(instructions()).outcome).toBe("changed");
    expect(readFileSync(path(), "utf8")).toMatch(
      /^# Mine\n\n<!-- pommel:begin v4 [\s\S]*pommel:end -->\n\nMore of mine.\n$/,
    );
    instructions().take();
    expect(readFileSync(path(), "utf8")).toBe("# Mine\n\nMore of mine.\n");
  });

  it.each([
    ["were changed", (text: string) => text.replace("call `recall`", "never call `recall`")],
    ["lost their end", (text: string) => text.replace("<!-- pommel:end -->", "")],
    ["stand there twice", (text: string) => text + text],
  ])("that %s are left alone and reported", (_, change) => {
    putIn(instructions());
    const text = change(readFileSync(path(), "utf8"));
    writeFileSync(path(), text);
    const kept = { outcome: "kept", detail: [expect.any(String)] };
    expect(putIn(instructions())).toMatchObject(kept);
    expect(instructions().take()).toMatchObject([kept]);
    expect(readFileSync(path(), "utf8")).toBe(text);
  });

  it("go to Gemini CLI's configured file, and are found when that changes", () => {
    const gemini = partOf("gemini", "instructions");
    const settings = join(project.root, ".gemini/settings.json");
    mkdirSync(join(project.root, ".gemini"));
    writeFileSync(settings, '{"context": {"fileName": ["AGENTS.md", "NOTES.md"]}}');
    expect(putIn(gemini)).toMatchObject({ file: "AGENTS.md", outcome: "created" });
    expect(instructions().look().state).toBe("current");
    writeFileSync(settings, "{}");
    expect(gemini.take()).toMatchObject([{ file: "AGENTS.md", outcome: "removed" }]);
    expect(existsSync(path())).toBe(false);
  });
});

describe("the skill", () => {
  const skill = () => partOf("claude", "skill");

  it("is one file for the agents that look for it in .agents, and is removed once", () => {
    const sharing = ["codex", "gemini", "opencode", "copilot"].map((agent) => partOf(agent, "skill"));
    expect(sharing.map((each) => putIn(each).outcome)).toEqual(["created", "already", "already", "already"]);
    expect(filesIn(".agents/skills/pommel")).toEqual(["SKILL.md"]);
    const taken = sharing.toReversed().flatMap((each) => each.take());
    expect(taken).toMatchObject([{ outcome: "removed" }]);
    expect(filesIn(".")).toEqual([]);
  });

  it("is the plugin's, with a signature; another one of that name is left alone", () => {
    putIn(skill());
    const path = join(project.root, ".claude/skills/pommel/SKILL.md");
    const text = readFileSync(path, "utf8");
    const plugins = readFileSync(new URL("../../skills/pommel/SKILL.md", import.meta.url), "utf8");
    expect(text.startsWith(plugins.trim())).toBe(true);
    expect(text).toMatch(/^---\nname: pommel\n[\s\S]*\n<!-- pommel:file v\d+ [0-9a-f]{8} [^\n]*-->\n$/);
    writeFileSync(path, `${text}Mine.\n`);
    expect(skill().take()).toMatchObject([{ outcome: "kept" }]);
    writeFileSync(path, "---\nname: pommel\n---\nRide well.\n");
    expect(putIn(skill())).toMatchObject({ outcome: "kept" });
    writeFileSync(path, text);
    rmSync(place.recordFile);
    skill().take();
    expect(filesIn(".claude/skills")).toEqual([]);
  });
});

describe("the MCP server", () => {
  it.each([
    ["claude", ".mcp.json", '{"mcpServers": {"pommel": {"command": "horse"}}}'],
    ["gemini", ".gemini/settings.json", '{"mcpServers": {"pommel": {"command": "horse", "args": ["mcp"]}}}'],
    ["codex", ".codex/config.toml", '[mcp_servers]\npommel = { command = "horse" }\n'],
  ])("of somebody else with our name is left alone: %s", (agent, name, text) => {
    const path = join(project.root, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
    const mcp = partOf(agent, "mcp");
    expect(putIn(mcp)).toMatchObject({ file: name, outcome: "kept" });
    mcp.take();
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it.each([
    [
      "claude",
      ".mcp.json",
      '{"mcpServers": {"a": {}, "pommel": {"command": "/opt/bin/pm", "args": ["mcp"]}}}',
      '{"mcpServers": {"a": {}}}',
    ],
    ["claude", ".mcp.json", '{"mcpServers": {"pommel": {"command": "npx", "args": ["pm", "mcp"]}}}', "{}"],
    [
      "codex",
      ".codex/config.toml",
      '[mcp_servers]\npommel = { command = "pm", args = ["mcp"] }\na = 1\n',
      "[mcp_servers]\na = 1\n",
    ],
    [
      "codex",
      ".codex/config.toml",
      'mcp_servers.pommel.command = "pm"\nmcp_servers.pommel.args = ["mcp"]\n',
      "",
    ],
    [
      "codex",
      ".codex/config.toml",
      'a = 1\n\n[mcp_servers.pommel]\ncommand = "pm"\nargs = [\n  "mcp",\n]\n\n[mcp_servers.pommel.env]\nA = "1"\n\n# of b\n[b]\n',
      "a = 1\n\n# of b\n[b]\n",
    ],
  ])("registered manually counts, and is removed: %s %s %#", (agent, name, text, left) => {
    const path = join(project.root, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
    const mcp = partOf(agent, "mcp");
    expect(putIn(mcp)).toMatchObject({ outcome: "already" });
    mcp.take();
    expect(readFileSync(path, "utf8")).toBe(left);
  });

  it.each([
    ["claude", ".mcp.json", '{"mcpServers": []}', "mcp.json:1:16"],
    ["claude", ".mcp.json", "[", "mcp.json:1:2"],
    ["codex", ".codex/config.toml", "mcp_servers = {}\n", "cannot hold"],
    ["codex", ".codex/config.toml", "= 1\n", "not valid TOML"],
  ])("has no place in a file that makes no sense: %s %s %#", (agent, name, text, message) => {
    const path = join(project.root, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
    const refusal = expect.objectContaining({
      code: "settings_invalid",
      message: expect.stringContaining(message),
    });
    expect(() => partOf(agent, "mcp").put()).toThrow(refusal);
    expect(readFileSync(path, "utf8")).toBe(text);
  });
});
