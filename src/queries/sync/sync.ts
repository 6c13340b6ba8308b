import { join } from "node:path";
import { loadConfig } from "../../project/config/config.ts";
import type { Config } from "../../project/config/settings.ts";
import { homeOf } from "../../project/home.ts";
import type { Project } from "../../project/paths.ts";
import type { SyncOptions, SyncReport, SyncSettings } from "../../sync/report.ts";
import { syncMemory } from "../../sync/sync.ts";
import { changing } from "../changing.ts";

/** How a sync asks the user and reports to them. */
export interface SyncDialogue {
  /** Asks for the passphrase, twice for a new one; null if there is nobody to ask. */
  askPassphrase?: (isNew: boolean) => Promise<string | null>;
  onKeyMade?: (file: string) => void;
}

/** How a configuration wants the memory to be shared. */
export function syncSettings(
  config: Config,
  { askPassphrase, onKeyMade }: SyncDialogue = {},
  env: NodeJS.ProcessEnv = process.env,
): SyncSettings {
  return {
    branch: config["sync.branch"],
    remote: config["sync.remote"],
    encryption: config["sync.encryption"],
    keyFile: config["sync.key_file"] || join(homeOf(env).configDir, "sync-key.txt"),
    passphrase: async (isNew) =>
      env[config["sync.passphrase_env"]] || ((await askPassphrase?.(isNew)) ?? null),
    ...(onKeyMade && { onKeyMade }),
  };
}

/**
 * Pushes or pulls a project's memory in this process: a daemon sees pulled data with its next query.
 * @throws PommelError `sync_refused`, `sync_failed`, and what opening the memory throws
 */
export async function syncProject(
  project: Project,
  options: SyncOptions,
  dialogue: SyncDialogue = {},
): Promise<SyncReport> {
  const settings = syncSettings(loadConfig(project).config, dialogue);
  return changing(project, (work) => syncMemory(work, settings, options), { create: true });
}
