import { isAbsolute, join, relative } from "node:path";
import { readObjectFile } from "../reading/json.ts";
import { type HookSpec, hookEntries, hooksFor } from "../setup/hook-entries.ts";
import { ourServer, serverEntry } from "../setup/json-entry.ts";
import { instructions, sharedSkill } from "../setup/section.ts";
import { type Place, realPath, setupOf } from "../setup.ts";
import { copilotHome, copilotProfile } from "./profile.ts";

/** Seconds. */
const timeout = 10;

/** Only tools that change files matter. */
const copilotHooks: HookSpec = {
  agent: copilotProfile.name,
  hooks: hooksFor(copilotProfile.hooks, (hook) => ({
    ...(hook === "post-tool-use" && { matcher: "Edit|Write" }),
    timeout,
  })),
};

/** The user's directory, or the project's, in which the client looks for its own files. */
function directoryOf({ scope, dir, env }: Place): string {
  return scope === "user" ? copilotHome(env) : join(dir, ".github");
}

export const copilotSetup = setupOf(copilotProfile, {
  parts: [
    {
      name: "hooks",
      files: (place) => [join(directoryOf(place), "hooks", "pommel.json")],
      editor: hookEntries(copilotHooks),
    },
    {
      name: "mcp",
      files: (place) => [join(directoryOf(place), place.scope === "user" ? "mcp-config.json" : "mcp.json")],
      // All tools are there at once, even with many servers.
      editor: serverEntry({ type: "stdio", ...ourServer, tools: ["*"], deferTools: "never" }),
    },
    {
      name: "instructions",
      files: (place) => [
        place.scope === "user"
          ? join(copilotHome(place.env), "copilot-instructions.md")
          : join(place.dir, "AGENTS.md"),
      ],
      editor: instructions,
    },
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
