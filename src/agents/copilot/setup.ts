import { isAbsolute, join, relative } from "node:path";
import { readObjectFile } from "../reading/json.ts";
import { hookSpec, hooksIn } from "../setup/hook-entries.ts";
import { ourServer, serverEntry } from "../setup/json-entry.ts";
import { instructionsIn, sharedSkill } from "../setup/section.ts";
import { type Place, partIn, realPath, setupOf } from "../setup.ts";
import { copilotHome, copilotProfile } from "./profile.ts";

const timeoutSeconds = 10;

const copilotHooks = hookSpec(copilotProfile, {
  // Only tools that change files matter.
  matchers: { "post-tool-use": "Edit|Write" },
  timeout: timeoutSeconds,
});

/** The user's directory, or the project's, in which the client looks for its own files. */
function directoryOf({ scope, dir, env }: Place): string {
  return scope === "user" ? copilotHome(env) : join(dir, ".github");
}

const serversFile = (place: Place) =>
  join(directoryOf(place), place.scope === "user" ? "mcp-config.json" : "mcp.json");

/** All tools are there at once, even with many servers. */
const server = { type: "stdio", ...ourServer, tools: ["*"], deferTools: "never" };

export const copilotSetup = setupOf(copilotProfile, {
  parts: [
    hooksIn((place) => join(directoryOf(place), "hooks", "pommel.json"), copilotHooks),
    partIn("mcp", serversFile, serverEntry(server)),
    instructionsIn(({ scope, dir, env }) =>
      scope === "user" ? join(copilotHome(env), "copilot-instructions.md") : join(dir, "AGENTS.md"),
    ),
    sharedSkill,
  ],
  traces: ({ dir, env }) => [copilotHome(env), join(dir, ".github", "copilot")],
  distrust,
  afterwards(place, parts) {
    const why = parts.includes("hooks") || parts.includes("mcp") ? distrust(place) : null;
    return why === null ? [] : [why];
  },
});

/** Why the client does not read the project's hooks and servers: no folder around it is trusted. */
function distrust({ scope, dir, env }: Place): string | null {
  if (scope === "user") return null;
  const { trustedFolders } = readObjectFile(join(copilotHome(env), "config.json"));
  const place = realPath(dir);
  const isTrusted = (folder: unknown) => {
    if (typeof folder !== "string" || !isAbsolute(folder)) return false;
    const within = relative(realPath(folder), place);
    return !within.startsWith("..") && !isAbsolute(within);
  };
  if (Array.isArray(trustedFolders) && trustedFolders.some(isTrusted)) return null;
  return "GitHub Copilot CLI ignores this until it trusts the folder: start `copilot` here once and trust it.";
}
