import { existsSync } from "node:fs";
import { join } from "node:path";
import { type HookSpec, hookEntries } from "../setup/hook-entries.ts";
import { instructions } from "../setup/instructions.ts";
import { listEntry, serverEntry } from "../setup/json-entry.ts";
import { skill } from "../setup/skill.ts";
import type { AgentSetup, Place } from "../setup.ts";
import { claudeHome } from "./home.ts";
import { eventOfHook, hookNames } from "./hook-names.ts";
import { hasPlugin } from "./plugin.ts";

/** Seconds. Without one, SessionEnd is killed after about 1.5. */
const timeout = 10;

/** Only tools that change files matter. */
const matchers = { "pre-compact": "", "post-tool-use": "Edit|Write|MultiEdit|NotebookEdit" };

export const claudeHooks: HookSpec = {
  agent: "claude",
  hooks: hookNames.map((hook) => ({
    hook,
    event: eventOfHook[hook],
    ...(hook in matchers && { matcher: matchers[hook as keyof typeof matchers] }),
    timeout,
  })),
};

/** The settings files of a project: what everybody who checks it out shares, and one's own. From its root. */
export const sharedSettings = ".claude/settings.json";
export const localSettings = ".claude/settings.local.json";

/** Where Claude Code keeps what is the user's own, or the project's. */
function directoryOf({ scope, dir, env }: Place): string {
  return scope === "user" && env.CLAUDE_CONFIG_DIR ? env.CLAUDE_CONFIG_DIR : join(dir, ".claude");
}

function settingsFiles(place: Place): string[] {
  const names = place.scope === "project" ? ["settings.json", "settings.local.json"] : ["settings.json"];
  return names.map((name) => join(directoryOf(place), name));
}

/** `.mcp.json`, or the client's own file of state, which lies beside `~/.claude` and in CLAUDE_CONFIG_DIR. */
function serversFile({ scope, dir, env }: Place): string {
  if (scope === "project") return join(dir, ".mcp.json");
  return join(env.CLAUDE_CONFIG_DIR || dir, ".claude.json");
}

export const claudeSetup: AgentSetup = {
  agent: "claude",
  title: "Claude Code",
  parts: [
    { name: "hooks", files: settingsFiles, editor: hookEntries(claudeHooks) },
    {
      name: "mcp",
      files: (place) => [serversFile(place)],
      // GitHub Copilot CLI reads `.mcp.json`, too, and defers a server's tools unless told otherwise here.
      editor: serverEntry({ type: "stdio", command: "pommel", args: ["mcp"], deferTools: "never" }),
    },
    {
      name: "permissions",
      files: settingsFiles,
      editor: listEntry(["permissions", "allow"], "mcp__pommel"),
    },
    { name: "instructions", files: (place) => [join(directoryOf(place), "CLAUDE.md")], editor: instructions },
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
    if (!parts.includes("mcp") || place.scope === "user") return [];
    return ["Claude Code asks once, at its next start here, whether to use the server of .mcp.json."];
  },
};
