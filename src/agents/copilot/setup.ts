import { isAbsolute, join, relative } from "node:path";
import { readObjectFile } from "../reading/json.ts";
import { makeHookSpec, makeHooksPart } from "../setup/hook-entries.ts";
import { makeServerEditor, ourServer } from "../setup/json-entry.ts";
import { makeInstructionsPart, sharedSkill } from "../setup/section.ts";
import { makePart, makeSetup, resolveLinks, type SetupTarget } from "../setup.ts";
import { copilotProfile, locateCopilotHome } from "./profile.ts";

const timeoutSeconds = 10;

const copilotHooks = makeHookSpec(copilotProfile, {
  // Only tools that change files matter.
  matchers: { "post-tool-use": "Edit|Write" },
  timeout: timeoutSeconds,
});

/** The user's directory, or the project's, in which the client looks for its own files. */
function locateCopilotDir({ scope, dir, env }: SetupTarget): string {
  return scope === "user" ? locateCopilotHome(env) : join(dir, ".github");
}

const locateServersFile = (place: SetupTarget) =>
  join(locateCopilotDir(place), place.scope === "user" ? "mcp-config.json" : "mcp.json");

/** All tools are there at once, even with many servers. */
const server = { type: "stdio", ...ourServer, tools: ["*"], deferTools: "never" };

export const copilotSetup = makeSetup(copilotProfile, {
  parts: [
    makeHooksPart((place) => join(locateCopilotDir(place), "hooks", "pommel.json"), copilotHooks),
    makePart("mcp", locateServersFile, makeServerEditor(server)),
    makeInstructionsPart(({ scope, dir, env }) =>
      scope === "user" ? join(locateCopilotHome(env), "copilot-instructions.md") : join(dir, "AGENTS.md"),
    ),
    sharedSkill,
  ],
  traces: ({ dir, env }) => [locateCopilotHome(env), join(dir, ".github", "copilot")],
  distrust: explainDistrust,
  afterwards(place, parts) {
    const why = parts.includes("hooks") || parts.includes("mcp") ? explainDistrust(place) : null;
    return why === null ? [] : [why];
  },
});

/** Why the client does not read the project's hooks and servers: no folder around it is trusted. */
function explainDistrust({ scope, dir, env }: SetupTarget): string | null {
  if (scope === "user") return null;
  const { trustedFolders } = readObjectFile(join(locateCopilotHome(env), "config.json"));
  const place = resolveLinks(dir);
  const isTrusted = (folder: unknown) => {
    if (typeof folder !== "string" || !isAbsolute(folder)) return false;
    const within = relative(resolveLinks(folder), place);
    return !within.startsWith("..") && !isAbsolute(within);
  };
  if (Array.isArray(trustedFolders) && trustedFolders.some(isTrusted)) return null;
  return "GitHub Copilot CLI ignores this until it trusts the folder: start `copilot` here once and trust it.";
}
