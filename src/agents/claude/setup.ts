import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import { findUpwards, mainOf } from "../../project/paths.ts";
import { type HookSpec, hookEntries, hooksFor } from "../setup/hook-entries.ts";
import { listEntry, serverEntry } from "../setup/json-entry.ts";
import { instructions, skill } from "../setup/section.ts";
import type { AgentSetup, Place } from "../setup.ts";
import { claudeHome, claudeProfile } from "./profile.ts";

/** Seconds. Without one, SessionEnd is killed after about 1.5. */
const timeout = 10;

/** Only tools that change files matter. */
const matchers = { "pre-compact": "", "post-tool-use": "Edit|Write|MultiEdit|NotebookEdit" };

export const claudeHooks: HookSpec = {
  agent: claudeProfile.name,
  hasShEverywhere: true,
  hooks: hooksFor(claudeProfile.hooks, (hook) => ({
    ...(hook in matchers && { matcher: matchers[hook as keyof typeof matchers] }),
    timeout,
  })),
};

/** The settings file of a project that is one's own, from its root. */
export const localSettings = ".claude/settings.local.json";

/** Where Claude Code keeps what is the user's own, or the project's. */
function directoryOf({ scope, dir, env }: Place): string {
  return scope === "user" && env.CLAUDE_CONFIG_DIR ? env.CLAUDE_CONFIG_DIR : join(dir, ".claude");
}

function settingsFiles(place: Place): string[] {
  const directory = directoryOf(place);
  if (place.scope === "user") return [join(directory, "settings.json")];
  return ownFirst(place, join(directory, "settings.local.json"), join(directory, "settings.json"));
}

/** Both files of a project that may hold something, the one that it is added to first. */
function ownFirst({ own }: Place, ownFile: string, sharedFile: string): string[] {
  return own ? [ownFile, sharedFile] : [sharedFile, ownFile];
}

function serversFiles(place: Place): string[] {
  if (place.scope === "user") return [stateFile(place)];
  return ownFirst(place, stateFile(place), join(place.dir, ".mcp.json"));
}

/** The client's own file of state, which lies beside `~/.claude` and in CLAUDE_CONFIG_DIR. */
function stateFile({ env }: Place): string {
  return join(env.CLAUDE_CONFIG_DIR || env.HOME || homedir(), ".claude.json");
}

/** Where the client keeps a project's own servers ("local scope"): by its repository, whatever worktree it runs in. */
function ownServersOf({ dir }: Place): string[] {
  const top = findUpwards(dir, ".git");
  return ["projects", top === null ? dir : (mainOf(top) ?? top)];
}

function instructionFiles(place: Place): string[] {
  const shared = join(directoryOf(place), "CLAUDE.md");
  if (place.scope === "user") return [shared];
  return ownFirst(place, join(place.dir, "CLAUDE.local.md"), shared);
}

/** GitHub Copilot CLI reads `.mcp.json`, too, and defers a server's tools unless told otherwise here. */
const server = { type: "stdio", command: "pommel", args: ["mcp"], deferTools: "never" };

export const claudeSetup: AgentSetup = {
  agent: claudeProfile.name,
  title: claudeProfile.title,
  parts: [
    { name: "hooks", files: settingsFiles, editor: hookEntries(claudeHooks) },
    {
      name: "mcp",
      files: serversFiles,
      editor: serverEntry(server),
      editorOf: (place, file) => {
        const isOwn = place.scope === "project" && file === stateFile(place);
        return serverEntry(server, isOwn ? { within: ownServersOf(place) } : {});
      },
    },
    {
      name: "permissions",
      files: settingsFiles,
      editor: listEntry(["permissions", "allow"], "mcp__pommel"),
    },
    { name: "instructions", files: instructionFiles, editor: instructions },
    {
      name: "skill",
      files: (place) => [join(directoryOf(place), "skills", "pommel", "SKILL.md")],
      editor: skill,
    },
  ],
  isUsed: (place) => existsSync(directoryOf(place)) || existsSync(claudeHome(place.env)),
  fromPlugin: (place) => (hasPlugin(place) ? ["hooks", "mcp", "skill"] : []),
  distrust: () => null,
  afterwards(place, parts) {
    if (!parts.includes("mcp") || place.scope === "user" || place.own) return [];
    return ["Claude Code asks once, at its next start here, whether to use the server of .mcp.json."];
  },
};

const settings = z.object({ enabledPlugins: z.optional(z.record(z.string(), z.unknown())) });

/** Whether Claude Code has Pommel's plugin (`plugin/`) here: the nearest settings that say so decide. */
function hasPlugin({ scope, dir, env }: Place): boolean {
  const own = join(claudeHome(env), "settings.json");
  const projects = ["settings.local.json", "settings.json"].map((name) => join(dir, ".claude", name));
  for (const file of scope === "project" ? [...projects, own] : [own]) {
    const entry = Object.entries(pluginsIn(file)).find(([name]) => name.startsWith("pommel@"));
    if (entry) return entry[1] === true;
  }
  return false;
}

function pluginsIn(file: string): Record<string, unknown> {
  try {
    return z.parse(settings, JSON.parse(readFileSync(file, "utf8"))).enabledPlugins ?? {};
  } catch {
    return {};
  }
}
