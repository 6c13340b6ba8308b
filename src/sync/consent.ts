import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { writeJson } from "../project/files/replace-file.ts";
import { globalConfigDir } from "../project/paths.ts";
import { withoutPassword } from "./remote.ts";

/** Remotes that the user said may be pushed to, though others might read them. The user's own, not a project's. */

const shape = z.object({ allowed: z.array(z.string()) });

export const consentFile = (env: NodeJS.ProcessEnv = process.env) =>
  join(globalConfigDir(env), "sync-remotes.json");

function read(file: string): string[] {
  try {
    const parsed = shape.safeParse(JSON.parse(readFileSync(file, "utf8")));
    return parsed.success ? parsed.data.allowed : [];
  } catch {
    // Not there, or not to be understood: then nothing is allowed.
    return [];
  }
}

export function isAllowed(url: string, file = consentFile()): boolean {
  return read(file).includes(withoutPassword(url));
}

/** Remembers that this remote may be pushed to. */
export function allow(url: string, file = consentFile()): void {
  const allowed = [...new Set([...read(file), withoutPassword(url)])].sort();
  mkdirSync(dirname(file), { recursive: true });
  writeJson(file, { allowed });
}
