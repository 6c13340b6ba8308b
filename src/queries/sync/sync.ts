import { join } from "node:path";
import { gitTextIfAny } from "../../git/git.ts";
import { loadConfig } from "../../project/config/config.ts";
import type { Config } from "../../project/config/settings.ts";
import { homeOf } from "../../project/home.ts";
import type { Project } from "../../project/paths.ts";
import { syncPassphraseVariable } from "../../sync/codec/open-codec.ts";
import type { SyncOptions, SyncReport, SyncSettings } from "../../sync/report.ts";
import { syncMemory } from "../../sync/sync.ts";
import { changing } from "../changing.ts";
import type { Running } from "../operations.ts";

/** Under which name this person shares; null: none is known. */
export async function shareAuthor(root: string): Promise<string | null> {
  return (await gitTextIfAny(root, ["config", "user.email"])) || null;
}

export interface SyncRequest extends Omit<SyncOptions, "onProgress" | "signal" | "now"> {
  /** Asks for the passphrase, twice for a new one; null if there is nobody to ask. */
  askPassphrase?: (isNew: boolean) => Promise<string | null>;
}

/**
 * How a project's configuration wants the memory to be shared.
 * @param onNote is told of a key that was made
 */
export async function syncSettings(
  root: string,
  config: Config,
  askPassphrase: SyncRequest["askPassphrase"] = undefined,
  onNote: Running["onNote"] = undefined,
): Promise<SyncSettings> {
  return {
    branch: config["sync.branch"],
    remote: config["sync.remote"],
    author: await shareAuthor(root),
    encryption: config["sync.encryption"],
    keyFile: join(homeOf().configDir, "sync-key.txt"),
    passphrase: async (isNew) =>
      process.env[syncPassphraseVariable] || ((await askPassphrase?.(isNew)) ?? null),
    onKeyMade(file) {
      onNote?.(`Created the key ${file}. Copy it to your other machines and keep a backup: without it,`);
      onNote?.("the shared memory cannot be read.");
    },
  };
}

/**
 * Pushes or pulls a project's memory: a daemon sees pulled data with its next query.
 * @throws PommelError `sync_refused`, `sync_failed`, and what opening the memory throws
 */
export async function syncProject(
  project: Project,
  { askPassphrase, ...options }: SyncRequest,
  { signal, onProgress, onNote }: Running = {},
): Promise<SyncReport> {
  const settings = await syncSettings(project.root, loadConfig(project).config, askPassphrase, onNote);
  return changing(project, (work) => syncMemory(work, settings, { ...options, signal, onProgress }), {
    create: true,
  });
}
