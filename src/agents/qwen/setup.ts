import { join } from "node:path";
import { instructionsFile } from "../gemini/setup.ts";
import { hookSpec, hooksIn } from "../setup/hook-entries.ts";
import { serverIn } from "../setup/json-entry.ts";
import { instructionsIn, skillIn } from "../setup/section.ts";
import { type Place, setupOf } from "../setup.ts";
import { qwenHome, qwenProfile } from "./profile.ts";

const timeoutMs = 10_000;

const qwenHooks = hookSpec(qwenProfile, {
  handlerName: "pommel",
  comments: true,
  // Only tools that change files matter.
  matchers: { "post-tool-use": "edit|write_file" },
  timeout: timeoutMs,
});

function directoryOf({ scope, dir, env }: Place): string {
  return scope === "user" ? qwenHome(env) : join(dir, ".qwen");
}

const settingsFile = (place: Place) => join(directoryOf(place), "settings.json");

const contextFile = (place: Place) =>
  instructionsFile(place, { directory: directoryOf(place), home: qwenHome(place.env), usual: "QWEN.md" });

export const qwenSetup = setupOf(qwenProfile, {
  parts: [
    hooksIn(settingsFile, qwenHooks),
    serverIn(settingsFile, { comments: true }),
    instructionsIn(contextFile),
    skillIn(directoryOf),
  ],
  traces: (place) => [directoryOf(place), qwenHome(place.env)],
  afterwards: (_, parts) =>
    parts.includes("mcp") ? ["Qwen Code asks before each Pommel tool until you always allow it."] : [],
});
