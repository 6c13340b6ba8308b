import { codeSettings } from "./settings/code-settings.ts";
import { homeSettings as ofTheHome } from "./settings/home-settings.ts";
import { sessionSettings } from "./settings/session-settings.ts";
import type { SettingDefinition } from "./settings/setting.ts";
import { shareSettings } from "./settings/share-settings.ts";

/**
 * Every setting with its type, default and explanation: the source of `config.toml`'s comments, `pm config list` and
 * the check for unknown keys.
 */
export const settings = { ...codeSettings, ...ofTheHome, ...sessionSettings, ...shareSettings };

export type SettingKey = keyof typeof settings;

function selectSettings(are: "team" | "home" | "sensitive" | "live"): ReadonlySet<SettingKey> {
  const all = Object.entries(settings) as [SettingKey, SettingDefinition][];
  return new Set(all.filter(([, setting]) => setting[are]).map(([key]) => key));
}

/** What each of these means says `SettingDefinition`. */
export const teamSettings = selectSettings("team");
export const homeSettings = selectSettings("home");
export const sensitiveSettings = selectSettings("sensitive");
export const liveSettings = selectSettings("live");

/** A complete configuration: a value for every setting. */
export type Config = { [K in SettingKey]: (typeof settings)[K]["default"] };

/** The default configuration. */
export function makeDefaultConfig(): Config {
  return Object.fromEntries(
    Object.entries(settings).map(([key, setting]) => [key, setting.default]),
  ) as Config;
}
