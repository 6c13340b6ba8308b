import { homedir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../base/config/config.ts";
import type { ContextKind } from "../../base/config/settings/session-settings.ts";
import { type Config, makeDefaultConfig } from "../../base/config/settings.ts";
import { locateHome, locateRegistry } from "../../base/home.ts";
import { findMainWorktree, findUpwards, makeProject } from "../../base/paths.ts";
import { Registry } from "../../store/registry.ts";
import { asObject, readObjectFile } from "../reading/json.ts";
import { type HookSpec, makeHookSpec, makeHooksEditor, makeToolPattern } from "../setup/hook-entries.ts";
import { listEntry, makeServerEditor, ourServer } from "../setup/json-entry.ts";
import { makeInstructionsPart, makeSkillPart } from "../setup/section.ts";
import { makePart, makeSetup, type SetupTarget } from "../setup.ts";
import { locateClaudeHome } from "./home.ts";
import { claudeProfile } from "./profile.ts";

/** SessionEnd's default is about 1.5. */
const timeoutSeconds = 10;

const searchTools = "Grep|Glob|Bash";
const searchWords = ["Grep", "Glob", "grep", "rg ", "find ", "bfs ", "fd "];

const allHooks = makeHookSpec(claudeProfile, {
  hasShEverywhere: true,
  // Only tools that change files matter, and commands that fail.
  matchers: {
    "pre-compact": "",
    "pre-tool-use": searchTools,
    "post-tool-use": "Edit|Write|MultiEdit|NotebookEdit",
    "tool-failure": "Bash",
  },
  timeout: timeoutSeconds,
  // Most commands search for nothing, and must not wait for a process that finds that out.
  onlyIf: { "pre-tool-use": searchWords },
});

/** Those that serve a kind of context alone: each costs every such call a process. */
const hookOfKind = { failure: "tool-failure", search: "pre-tool-use" } as const;

const hooksFor = (kinds: readonly ContextKind[]): HookSpec => {
  const spec = {
    ...allHooks,
    hooks: allHooks.hooks.filter(({ hook }) =>
      Object.entries(hookOfKind).every(
        ([kind, serving]) => hook !== serving || kinds.includes(kind as keyof typeof hookOfKind),
      ),
    ),
  };
  return kinds.includes("read") ? withCalls(spec, ["Read"], ['"Read"']) : spec;
};

const editingTools = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

/** Before calls of these tools as well; a shell looks for the words first. */
function withCalls(spec: HookSpec, tools: readonly string[], words: readonly string[]): HookSpec {
  const own = spec.hooks.find(({ hook }) => hook === "pre-tool-use");
  const matcher = [...(own?.matcher === undefined ? [] : [own.matcher]), ...tools].join("|");
  const hooks = allHooks.hooks
    .filter(({ hook }) => hook === "pre-tool-use" || spec.hooks.some((one) => one.hook === hook))
    .map((one) => (one.hook === "pre-tool-use" ? { ...one, matcher } : one));
  const before = own === undefined ? [] : (spec.onlyIf?.["pre-tool-use"] ?? []);
  return { ...spec, hooks, onlyIf: { "pre-tool-use": [...before, ...words] } };
}

const withEdits = (spec: HookSpec): HookSpec => withCalls(spec, editingTools, ["Edit", "Write"]);

/** Rules and dead ends are about commands and edits of any kind. */
function withAllCalls(spec: HookSpec): HookSpec {
  const isSearching = spec.hooks.some(({ matcher }) => matcher?.startsWith(searchTools));
  const tools = isSearching ? editingTools : [searchTools, ...editingTools];
  return { ...withCalls(spec, tools, []), onlyIf: {} };
}

/** Calls of these take so long that one more process does not matter. */
const slowTools = ["WebFetch", "WebSearch", "Agent", "Task", "mcp__.*"];

/** Rules can also be about tools of servers: their names need a pattern, which also finds its words inside of other names. */
function withTools(spec: HookSpec): HookSpec {
  const hooks = spec.hooks.map((one) =>
    one.hook === "pre-tool-use"
      ? { ...one, matcher: makeToolPattern([one.matcher ?? "", ...slowTools]) }
      : one,
  );
  return { ...spec, hooks };
}

/** As the default settings want them. */
export const claudeHooks: HookSpec = hooksFor(makeDefaultConfig()["context.kinds"]);

/** The person's own hooks run in all projects, so they are those that any project's settings need. */
const loadProjectConfigs = (env: NodeJS.ProcessEnv): Config[] =>
  (Registry.openIfThere(locateRegistry(locateHome(env)))?.listRegisteredProjects() ?? []).flatMap(
    ({ id }) => {
      try {
        return loadConfig(makeProject(id, "/", locateHome(env)), env).config;
      } catch {
        // Commands in that project say what is invalid in its settings.
        return [];
      }
    },
  );

function chooseHooks({ project, env }: SetupTarget): HookSpec {
  try {
    const own = loadConfig(project ?? null, env).config;
    const configs = project === undefined ? [own, ...loadProjectConfigs(env)] : [own];
    const isOn = (setting: "rules.check" | "dead_ends.check" | "radar.warn") =>
      configs.some((config) => config[setting]);
    const spec = hooksFor(configs.flatMap((config) => config["context.kinds"]));
    if (isOn("rules.check")) return withTools(withAllCalls(spec));
    if (isOn("dead_ends.check")) return withAllCalls(spec);
    return isOn("radar.warn") ? withEdits(spec) : spec;
  } catch {
    // Whoever needs the configuration reports that it is invalid; hooks can be removed all the same.
    return claudeHooks;
  }
}

/** A project's personal settings file, relative to its root. */
export const localSettings = ".claude/settings.local.json";

/** Claude Code's directory of the user or the project. */
function locateClaudeDir({ scope, dir, env }: SetupTarget): string {
  return scope === "user" && env.CLAUDE_CONFIG_DIR ? env.CLAUDE_CONFIG_DIR : join(dir, ".claude");
}

function listSettingsFiles(place: SetupTarget): string[] {
  const directory = locateClaudeDir(place);
  if (place.scope === "user") return [join(directory, "settings.json")];
  return orderByPreference(place, join(directory, "settings.local.json"), join(directory, "settings.json"));
}

/** A project's personal and shared file, the one to add to first. */
function orderByPreference({ own }: SetupTarget, ownFile: string, sharedFile: string): string[] {
  return own ? [ownFile, sharedFile] : [sharedFile, ownFile];
}

function listServerFiles(place: SetupTarget): string[] {
  if (place.scope === "user") return [locateStateFile(place)];
  return orderByPreference(place, locateStateFile(place), join(place.dir, ".mcp.json"));
}

/** The client's state file, beside `~/.claude` or in CLAUDE_CONFIG_DIR. */
function locateStateFile({ env }: SetupTarget): string {
  return join(env.CLAUDE_CONFIG_DIR || env.HOME || homedir(), ".claude.json");
}

/** The key of a project's "local scope" servers: its repository, for all worktrees. */
function findOwnServersKey({ dir }: SetupTarget): string[] {
  const top = findUpwards(dir, ".git");
  return ["projects", top === null ? dir : (findMainWorktree(top) ?? top)];
}

function listInstructionFiles(place: SetupTarget): string[] {
  const shared = join(locateClaudeDir(place), "CLAUDE.md");
  if (place.scope === "user") return [shared];
  return orderByPreference(place, join(place.dir, "CLAUDE.local.md"), shared);
}

/**
 * A model rarely looks for a tool that it is not shown: each client has its own key for that, and GitHub Copilot CLI also reads
 * `.mcp.json`.
 */
const server = { type: "stdio", ...ourServer, alwaysLoad: true, deferTools: "never" };

export const claudeSetup = makeSetup(claudeProfile, {
  parts: [
    { name: "hooks", files: listSettingsFiles, chooseEditor: (place) => makeHooksEditor(chooseHooks(place)) },
    {
      name: "mcp",
      files: listServerFiles,
      chooseEditor(place, file) {
        const isOwn = place.scope === "project" && file === locateStateFile(place);
        return makeServerEditor(server, isOwn ? { within: findOwnServersKey(place) } : {});
      },
    },
    makePart("permissions", listSettingsFiles, listEntry(["permissions", "allow"], "mcp__pommel")),
    makeInstructionsPart(listInstructionFiles),
    makeSkillPart(locateClaudeDir),
  ],
  traces: (place) => [locateClaudeDir(place), locateClaudeHome(place.env)],
  // Beside the plugin's server, a skill would say the same again.
  fromPlugin: (place) => (hasPlugin(place) ? ["hooks", "mcp", "skill"] : []),
  afterwards(place, parts) {
    if (!parts.includes("mcp") || place.scope === "user" || place.own) return [];
    return ["Claude Code asks once, at its next start here, whether to use the server of .mcp.json."];
  },
});

/** Whether Pommel's plugin (`plugin/`) is enabled here; the nearest settings decide. */
function hasPlugin({ scope, dir, env }: SetupTarget): boolean {
  const own = join(locateClaudeHome(env), "settings.json");
  const projects = ["settings.local.json", "settings.json"].map((name) => join(dir, ".claude", name));
  for (const file of scope === "project" ? [...projects, own] : [own]) {
    const plugins = Object.entries(asObject(readObjectFile(file).enabledPlugins));
    const entry = plugins.find(([name]) => name.startsWith("pommel@"));
    if (entry) return entry[1] === true;
  }
  return false;
}
