import { existsSync } from "node:fs";
import { join } from "node:path";
import { asObject, readObjectFile } from "../reading/object-file.ts";
import { type HookSpec, hookEntries, hooksFor } from "../setup/hook-entries.ts";
import { instructions } from "../setup/instructions.ts";
import { serverEntry } from "../setup/json-entry.ts";
import type { AgentSetup, Place } from "../setup.ts";
import { geminiHome } from "./home.ts";
import { geminiProfile } from "./profile.ts";
import { distrust } from "./trust.ts";

/** Milliseconds. */
const timeout = 10_000;

/** "auto" is told before every request, whether anything is compressed or not. Only tools that change files matter. */
const matchers = { "pre-compact": "manual", "post-tool-use": "replace|write_file" };

export const geminiHooks: HookSpec = {
  agent: geminiProfile.name,
  handlerName: "pommel",
  comments: true,
  hooks: hooksFor(geminiProfile.hooks, (hook) => ({
    ...(hook in matchers && { matcher: matchers[hook as keyof typeof matchers] }),
    timeout,
  })),
};

function directoryOf({ scope, dir, env }: Place): string {
  return scope === "user" ? geminiHome(env) : join(dir, ".gemini");
}

function settingsFile(place: Place): string {
  return join(directoryOf(place), "settings.json");
}

/** `GEMINI.md`, unless the settings name other files instead. */
function contextFile(place: Place): string {
  const own = join(geminiHome(place.env), "settings.json");
  const named = contextFileNames(settingsFile(place)) ?? contextFileNames(own);
  const name = named === null || named.includes("GEMINI.md") ? "GEMINI.md" : named[0]!;
  return join(place.scope === "user" ? directoryOf(place) : place.dir, name);
}

function contextFileNames(file: string): string[] | null {
  const names = [asObject(readObjectFile(file).context).fileName]
    .flat()
    .filter((name): name is string => typeof name === "string" && /^[\w.-]+$/.test(name));
  return names.length > 0 ? names : null;
}

export const geminiSetup: AgentSetup = {
  agent: geminiProfile.name,
  title: geminiProfile.title,
  parts: [
    { name: "hooks", files: (place) => [settingsFile(place)], editor: hookEntries(geminiHooks) },
    {
      name: "mcp",
      files: (place) => [settingsFile(place)],
      editor: serverEntry({ command: "pommel", args: ["mcp"] }, { comments: true }),
    },
    { name: "instructions", files: (place) => [contextFile(place)], editor: instructions },
  ],
  isUsed: (place) => existsSync(directoryOf(place)) || existsSync(geminiHome(place.env)),
  fromPlugin: () => [],
  distrust,
  afterwards(place, parts) {
    const lines: string[] = [];
    if (parts.includes("hooks") && place.scope === "project") {
      lines.push(distrust(place) ?? "Gemini CLI warns when it first sees hooks of a project, and runs them.");
    }
    if (parts.includes("mcp")) {
      lines.push("Gemini CLI asks before each Pommel tool until you always allow it.");
    }
    return lines;
  },
};
