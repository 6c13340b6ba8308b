import { join } from "node:path";
import type { Retention } from "../agent.ts";
import { asObject, readObjectFile } from "../reading/json.ts";
import { locateGeminiHome } from "./home.ts";

const setting = "general.sessionRetention.maxAge";

const defaultAge = "30d";

const daysOf: Readonly<Record<string, number>> = { h: 1 / 24, d: 1, w: 7, m: 30 };

/**
 * At its start the client deletes chats older than `general.sessionRetention`, if enabled. Project settings override
 * the user's. (With `maxCount` it may delete others earlier.)
 */
export function readGeminiRetention(root: string, env: NodeJS.ProcessEnv = process.env): Retention | null {
  const files = [join(root, ".gemini", "settings.json"), join(locateGeminiHome(env), "settings.json")];
  let isEnabled: unknown;
  let age: { value: unknown; source: string } | undefined;
  for (const source of files) {
    const retentionSettings = asObject(asObject(readObjectFile(source).general).sessionRetention);
    isEnabled ??= retentionSettings.enabled;
    if (retentionSettings.maxAge !== undefined) age ??= { value: retentionSettings.maxAge, source };
  }
  const [, count, unit] = /^(\d+)([hdwm])$/.exec(String(age?.value ?? defaultAge)) ?? [];
  // With an invalid age the client deletes nothing.
  if (isEnabled === false || !Number(count) || unit === undefined) return null;
  return { days: Number(count) * daysOf[unit]!, setting, source: age?.source ?? null };
}
