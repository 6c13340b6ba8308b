import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { serverEntry } from "../setup/json-entry.ts";
import { instructions, sharedSkill, wholeFile } from "../setup/section.ts";
import type { AgentSetup, Place } from "../setup.ts";
import { pluginText, pluginVersion } from "./plugin-text.ts";
import { clineDataDir, clineHome, clineProfile } from "./profile.ts";

export const clineSetup: AgentSetup = {
  agent: clineProfile.name,
  title: clineProfile.title,
  parts: [
    {
      name: "hooks",
      files: (place) => [join(directoryOf(place), "plugins", "pommel.js")],
      editor: wholeFile(pluginVersion, () => pluginText, "// "),
    },
    {
      name: "mcp",
      // The client knows no servers of a project.
      files: (place) =>
        place.scope === "user" ? [join(clineDataDir(place.env), "settings", "cline_mcp_settings.json")] : [],
      editor: serverEntry({ command: "pommel", args: ["mcp"] }),
    },
    { name: "instructions", files: (place) => [instructionsFile(place)], editor: instructions },
    sharedSkill,
  ],
  isUsed: (place) =>
    [directoryOf(place), clineHome(place.env)].some((path) => existsSync(path)) ||
    (place.scope === "project" && existsSync(join(place.dir, ".clinerules"))),
  fromPlugin: () => [],
  distrust: () => null,
  afterwards: (place, parts) =>
    parts.includes("hooks") && place.scope === "project"
      ? ["Cline has MCP servers only for all projects: `pm setup` adds Pommel's."]
      : [],
};

/** Where plugins are. */
const directoryOf = ({ scope, dir, env }: Place) => (scope === "user" ? clineHome(env) : join(dir, ".cline"));

const instructionsFile = ({ scope, dir, env }: Place) =>
  scope === "user" ? join(env.HOME || homedir(), ".agents", "AGENTS.md") : join(dir, "AGENTS.md");
