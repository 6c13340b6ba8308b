import { dirname, join, sep } from "node:path";
import { asObject, readObjectFile } from "../reading/json.ts";
import { makeHookSpec, makeHooksPart } from "../setup/hook-entries.ts";
import { makeServerPart } from "../setup/json-entry.ts";
import { makeInstructionsPart, sharedSkill } from "../setup/section.ts";
import { makeSetup, resolveLinks, type SetupTarget } from "../setup.ts";
import { locateGeminiHome } from "./home.ts";
import { geminiProfile } from "./profile.ts";

const timeoutMs = 10_000;

export const geminiHooks = makeHookSpec(geminiProfile, {
  handlerName: "pommel",
  comments: true,
  // "auto" fires before every request. Only tools that change files matter.
  matchers: { "pre-compact": "manual", "post-tool-use": "replace|write_file" },
  timeout: timeoutMs,
});

function locateGeminiDir({ scope, dir, env }: SetupTarget): string {
  return scope === "user" ? locateGeminiHome(env) : join(dir, ".gemini");
}

function locateSettingsFile(place: SetupTarget): string {
  return join(locateGeminiDir(place), "settings.json");
}

const locateContextFile = (place: SetupTarget) =>
  chooseInstructionsFile(place, {
    directory: locateGeminiDir(place),
    home: locateGeminiHome(place.env),
    usual: "GEMINI.md",
  });

/** The file of instructions: the usual one, unless the settings name other files instead. For forks, too. */
export function chooseInstructionsFile(
  { scope, dir }: SetupTarget,
  { directory, home, usual }: { directory: string; home: string; usual: string },
): string {
  const named =
    readContextFileNames(join(directory, "settings.json")) ??
    readContextFileNames(join(home, "settings.json"));
  const name = named === null || named.includes(usual) ? usual : named[0]!;
  return join(scope === "user" ? directory : dir, name);
}

/** The names of the files of instructions in a settings file; null for the default. */
function readContextFileNames(file: string): string[] | null {
  const names = [asObject(readObjectFile(file).context).fileName]
    .flat()
    .filter((name): name is string => typeof name === "string" && /^[\w.-]+$/.test(name));
  return names.length > 0 ? names : null;
}

export const geminiSetup = makeSetup(geminiProfile, {
  parts: [
    makeHooksPart(locateSettingsFile, geminiHooks),
    makeServerPart(locateSettingsFile, { comments: true }),
    makeInstructionsPart(locateContextFile),
    sharedSkill,
  ],
  traces: (place) => [locateGeminiDir(place), locateGeminiHome(place.env)],
  distrust: explainDistrust,
  afterwards(place, parts) {
    const lines: string[] = [];
    if (parts.includes("hooks") && place.scope === "project") {
      lines.push(
        explainDistrust(place) ?? "Gemini CLI warns when it first sees hooks of a project, and runs them.",
      );
    }
    if (parts.includes("mcp")) {
      lines.push("Gemini CLI asks before each Pommel tool until you always allow it.");
    }
    return lines;
  },
});

/**
 * Why Gemini CLI does not read the project's settings: an undecided or untrusted folder in
 * `~/.gemini/trustedFolders.json`. Follows `checkPathTrust` of gemini-cli 0.61, which asks in a terminal, and without
 * one does not start. Older ones ask only if configured; having run Pommel's hooks proves trust.
 */
function explainDistrust({ scope, dir, env }: SetupTarget): string | null {
  if (scope === "user") return null;
  const home = locateGeminiHome(env);
  const flag = env.GEMINI_RESTRICTED_MODE === "true" ? "false" : env.GEMINI_CLI_TRUST_WORKSPACE;
  if (flag === "false")
    return "An environment variable makes Gemini CLI trust no folder, so it reads no settings here.";
  if (flag === "true" || isFolderTrustOff(join(home, "settings.json"))) return null;
  const file = env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(home, "trustedFolders.json");
  const rule = findTrustRule(resolveLinks(dir), readObjectFile(file));
  if (rule?.trust === "DO_NOT_TRUST") {
    return `Gemini CLI does not trust ${rule.folder}, so it reads no settings here: change that with /permissions.`;
  }
  if (rule !== null || hasRun(join(home, "trusted_hooks.json"), dir)) return null;
  return "Gemini CLI ignores this until it trusts the folder: start `gemini` here once and trust it (`--skip-trust` is not enough).";
}

function isFolderTrustOff(settings: string): boolean {
  const { security } = readObjectFile(settings);
  return asObject(asObject(security).folderTrust).enabled === false;
}

/** The rule of the innermost folder around a place; "TRUST_PARENT" applies to the folder's parent. */
function findTrustRule(
  place: string,
  rules: Record<string, unknown>,
): { folder: string; trust: string } | null {
  const around = Object.entries(rules).flatMap(([folder, trust]) => {
    if (typeof trust !== "string") return [];
    const within = resolveLinks(trust === "TRUST_PARENT" ? dirname(folder) : folder);
    return place === within || place.startsWith(within.endsWith(sep) ? within : within + sep)
      ? [{ folder, trust }]
      : [];
  });
  return around.sort((one, other) => other.folder.length - one.folder.length)[0] ?? null;
}

/** Whether the client ran Pommel's hooks here: it records the hooks it announced. */
function hasRun(file: string, dir: string): boolean {
  const trustFile = readObjectFile(file);
  return [trustFile[dir], trustFile[resolveLinks(dir)]]
    .flat()
    .some((hook) => /\b(?:pm|pommel) hook --agent gemini /.test(String(hook)));
}
