import { join } from "node:path";
import { chooseInstructionsFile } from "../gemini/setup.ts";
import { makeHookSpec, makeHooksPart } from "../setup/hook-entries.ts";
import { makeServerPart } from "../setup/json-entry.ts";
import { makeInstructionsPart, makeSkillPart } from "../setup/section.ts";
import { makeSetup, type SetupTarget } from "../setup.ts";
import { locateQwenHome, qwenProfile } from "./profile.ts";

const timeoutMs = 10_000;

const qwenHooks = makeHookSpec(qwenProfile, {
  handlerName: "pommel",
  comments: true,
  // Only tools that change files matter.
  matchers: { "post-tool-use": "edit|write_file" },
  timeout: timeoutMs,
});

function locateQwenDir({ scope, dir, env }: SetupTarget): string {
  return scope === "user" ? locateQwenHome(env) : join(dir, ".qwen");
}

const locateSettingsFile = (place: SetupTarget) => join(locateQwenDir(place), "settings.json");

const locateContextFile = (place: SetupTarget) =>
  chooseInstructionsFile(place, {
    directory: locateQwenDir(place),
    home: locateQwenHome(place.env),
    usual: "QWEN.md",
  });

export const qwenSetup = makeSetup(qwenProfile, {
  parts: [
    makeHooksPart(locateSettingsFile, qwenHooks),
    makeServerPart(locateSettingsFile, { comments: true }),
    makeInstructionsPart(locateContextFile),
    makeSkillPart(locateQwenDir),
  ],
  traces: (place) => [locateQwenDir(place), locateQwenHome(place.env)],
  afterwards: (_, parts) =>
    parts.includes("mcp") ? ["Qwen Code asks before each Pommel tool until you always allow it."] : [],
});
