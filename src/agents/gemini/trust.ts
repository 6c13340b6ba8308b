import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Place } from "../setup.ts";

/**
 * What keeps Gemini CLI from reading the project's settings: a folder that somebody said not to trust, in
 * `~/.gemini/trustedFolders.json`. A folder that nobody decided about is asked for, if the settings want it.
 */
export function distrust({ scope, dir, env }: Place): string | null {
  if (scope === "user") return null;
  const folders = readFolders(join(env.HOME || homedir(), ".gemini", "trustedFolders.json"));
  for (let at = dir; ; at = dirname(at)) {
    const trust = folders[at];
    if (trust === "DO_NOT_TRUST") {
      return `Gemini CLI was told not to trust ${at}, and reads no settings here: change it with /permissions.`;
    }
    if (trust !== undefined || dirname(at) === at) return null;
  }
}

function readFolders(file: string): Record<string, unknown> {
  try {
    const folders: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof folders === "object" && folders !== null ? (folders as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
