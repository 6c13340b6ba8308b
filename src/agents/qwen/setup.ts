import { join } from "node:path";
import { instructionsFile } from "../gemini/setup.ts";
import { type HookSpec, hookEntries, hooksFor } from "../setup/hook-entries.ts";
import { ourServer, serverEntry } from "../setup/json-entry.ts";
import { instructions, skillIn } from "../setup/section.ts";
import { type Place, setupOf } from "../setup.ts";
import { qwenHome, qwenProfile } from "./profile.ts";

/** Milliseconds. */
const timeout = 10_000;

/** Only tools that change files matter. */
const qwenHooks: HookSpec = {
  agent: qwenProfile.name,
  handlerName: "pommel",
  comments: true,
  hooks: hooksFor(qwenProfile.hooks, (hook) => ({
    ...(hook === "post-tool-use" && { matcher: "edit|write_file" }),
    timeout,
  })),
};

function directoryOf({ scope, dir, env }: Place): string {
  return scope === "user" ? qwenHome(env) : join(dir, ".qwen");
}

const settingsFile = (place: Place) => join(directoryOf(place), "settings.json");

const contextFile = (place: Place) =>
  instructionsFile(place, { directory: directoryOf(place), home: qwenHome(place.env), usual: "QWEN.md" });

export const qwenSetup = setupOf(qwenProfile, {
  parts: [
    { name: "hooks", files: (place) => [settingsFile(place)], editor: hookEntries(qwenHooks) },
    {
      name: "mcp",
      files: (place) => [settingsFile(place)],
      editor: serverEntry(ourServer, { comments: true }),
    },
    { name: "instructions", files: (place) => [contextFile(place)], editor: instructions },
    skillIn(directoryOf),
  ],
  traces: (place) => [directoryOf(place), qwenHome(place.env)],
  afterwards: (_, parts) =>
    parts.includes("mcp") ? ["Qwen Code asks before each Pommel tool until you always allow it."] : [],
});
