import { codeSettings } from "./settings/code-settings.ts";
import { homeSettings as ofTheHome } from "./settings/home-settings.ts";
import { sessionSettings } from "./settings/session-settings.ts";
import type { Setting } from "./settings/setting.ts";
import { shareSettings } from "./settings/share-settings.ts";

/**
 * Every setting with its type, default and explanation: the source of `config.toml`'s comments, `pm config list` and
 * the check for unknown keys.
 */
export const settings = { ...codeSettings, ...ofTheHome, ...sessionSettings, ...shareSettings };

export type SettingKey = keyof typeof settings;

function settingsThat(are: "team" | "home" | "sensitive" | "live"): ReadonlySet<SettingKey> {
  const all = Object.entries(settings) as [SettingKey, Setting][];
  return new Set(all.filter(([, setting]) => setting[are]).map(([key]) => key));
}

/** What each of these means says `Setting`. */
export const teamSettings = settingsThat("team");
export const homeSettings = settingsThat("home");
export const sensitiveSettings = settingsThat("sensitive");
export const liveSettings = settingsThat("live");

/** What a configuration may still say: by what it says now; null for what is no setting any more. */
export const retiredSettings: Readonly<Record<string, SettingKey | null>> = {
  "embed.ollama_url": "ollama.url",
  "llm.ollama_url": "ollama.url",
  "watch.poll_seconds": null,
  "search.levels": null,
  "search.mode": null,
  "sessions.topic_pause_minutes": null,
  "sessions.architecture_words": null,
  "index.password_env": null,
  "memory.share_password_env": null,
  "sync.passphrase_env": null,
  "sync.key_file": null,
  "backup.interval_hours": null,
  "backup.enabled": null,
  "embed.openai_url": "openai.url",
  "llm.openai_url": "openai.url",
  "embed.openai_key_env": "openai.key_env",
  "llm.openai_key_env": "openai.key_env",
  "index.workers": null,
  "index.password_file": null,
  "memory.share_password_file": null,
  "memory.share_author": null,
  "watch.debounce_ms": null,
  "daemon.idle_exit_minutes": null,
  "sessions.max_chunks": null,
  "sessions.chunk_min_tokens": null,
  "sessions.chunk_max_tokens": null,
  "sessions.client_memory": null,
  "context.max_tokens": null,
  "git.checkpoints": null,
};

/** A complete configuration: a value for every setting. */
export type Config = { [K in SettingKey]: (typeof settings)[K]["default"] };

/** The default configuration. */
export function defaultConfig(): Config {
  return Object.fromEntries(
    Object.entries(settings).map(([key, setting]) => [key, setting.default]),
  ) as Config;
}
