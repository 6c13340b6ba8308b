import { existsSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { asObject, readObjectFile } from "../reading/object-file.ts";
import type { Place } from "../setup.ts";
import { geminiHome } from "./home.ts";

/**
 * What keeps Gemini CLI from reading the project's settings: a folder that nobody said to trust, or that somebody said
 * not to, in `~/.gemini/trustedFolders.json`. After `checkPathTrust` of gemini-cli 0.61, which asks in a terminal, and
 * without one does not start. Older ones ask only where the settings want it; that it ran our hooks says that it does
 * not mind.
 */
export function distrust({ scope, dir, env }: Place): string | null {
  if (scope === "user") return null;
  const home = geminiHome(env);
  const flag = env.GEMINI_RESTRICTED_MODE === "true" ? "false" : env.GEMINI_CLI_TRUST_WORKSPACE;
  if (flag === "false")
    return "An environment variable makes Gemini CLI trust no folder, so it reads no settings here.";
  if (flag === "true" || asksNobody(join(home, "settings.json"))) return null;
  const file = env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(home, "trustedFolders.json");
  const rule = ruleFor(realPath(dir), readObjectFile(file));
  if (rule?.trust === "DO_NOT_TRUST") {
    return `Gemini CLI does not trust ${rule.folder}, so it reads no settings here: change that with /permissions.`;
  }
  if (rule !== null || hasRun(join(home, "trusted_hooks.json"), dir)) return null;
  return "Gemini CLI ignores this until it trusts the folder: start `gemini` here once and trust it (`--skip-trust` is not enough).";
}

function asksNobody(settings: string): boolean {
  const { security } = readObjectFile(settings);
  return asObject(asObject(security).folderTrust).enabled === false;
}

/** What is said of the innermost folder around a place; "TRUST_PARENT" is said of the one that holds the folder. */
function ruleFor(place: string, rules: Record<string, unknown>): { folder: string; trust: string } | null {
  const around = Object.entries(rules).flatMap(([folder, trust]) => {
    if (typeof trust !== "string") return [];
    const within = realPath(trust === "TRUST_PARENT" ? dirname(folder) : folder);
    return place === within || place.startsWith(within.endsWith(sep) ? within : within + sep)
      ? [{ folder, trust }]
      : [];
  });
  return around.sort((one, other) => other.folder.length - one.folder.length)[0] ?? null;
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** Whether the client ran hooks of ours here: it keeps those that it told of. */
function hasRun(file: string, dir: string): boolean {
  const trustFile = readObjectFile(file);
  return [trustFile[dir], trustFile[realPath(dir)]]
    .flat()
    .some((hook) => /\b(?:pm|pommel) hook --agent gemini /.test(String(hook)));
}
