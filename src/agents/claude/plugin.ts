import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import type { Place } from "../setup.ts";
import { claudeHome } from "./home.ts";

const settings = z.object({ enabledPlugins: z.optional(z.record(z.string(), z.unknown())) });

/** Whether Claude Code has Pommel's plugin (`plugin/`) here: the nearest settings that say so decide. */
export function hasPlugin({ scope, dir, env }: Place): boolean {
  const own = join(claudeHome(env), "settings.json");
  const projects = ["settings.local.json", "settings.json"].map((name) => join(dir, ".claude", name));
  for (const file of scope === "project" ? [...projects, own] : [own]) {
    const entry = Object.entries(pluginsIn(file)).find(([name]) => name.startsWith("pommel@"));
    if (entry) return entry[1] === true;
  }
  return false;
}

function pluginsIn(file: string): Record<string, unknown> {
  try {
    return z.parse(settings, JSON.parse(readFileSync(file, "utf8"))).enabledPlugins ?? {};
  } catch {
    return {};
  }
}
