import { join } from "node:path";
import type { Retention } from "../agent.ts";
import { asObject, readObjectFile } from "../reading/object-file.ts";
import { geminiHome } from "./home.ts";

const setting = "general.sessionRetention.maxAge";
const defaultAge = "30d";
const daysOf: Readonly<Record<string, number>> = { h: 1 / 24, d: 1, w: 7, m: 30 };

/**
 * The client deletes chats that were last written to so long ago when it starts, unless `general.sessionRetention` is not
 * enabled. The project's settings are stronger than the user's. (With `maxCount` it may delete others earlier.)
 */
export function retention(root: string, env: NodeJS.ProcessEnv = process.env): Retention | null {
  const files = [join(root, ".gemini", "settings.json"), join(geminiHome(env), "settings.json")];
  let isEnabled: unknown;
  let age: { value: unknown; source: string } | undefined;
  for (const source of files) {
    const retentionSettings = asObject(asObject(readObjectFile(source).general).sessionRetention);
    isEnabled ??= retentionSettings.enabled;
    if (retentionSettings.maxAge !== undefined) age ??= { value: retentionSettings.maxAge, source };
  }
  const [, count, unit] = /^(\d+)([hdwm])$/.exec(String(age?.value ?? defaultAge)) ?? [];
  // By an age that it cannot read, the client deletes nothing.
  if (isEnabled === false || !Number(count) || unit === undefined) return null;
  return { days: Number(count) * daysOf[unit]!, setting, source: age?.source ?? null };
}
