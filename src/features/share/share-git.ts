import { join } from "node:path";
import { changeMemory } from "../../answers/changing.ts";
import type { RunContext } from "../../answers/operation.ts";
import { loadConfig } from "../../base/config/config.ts";
import type { Config } from "../../base/config/settings.ts";
import { locateHome } from "../../base/home.ts";
import type { Project } from "../../base/paths.ts";
import { syncPassphraseVariable } from "../../sync/codec/open-codec.ts";
import { openSigning, shareAuthor } from "../../sync/origin/open-signing.ts";
import type { SyncOptions, SyncReport, SyncSettings } from "../../sync/report.ts";
import { syncMemory } from "../../sync/sync.ts";

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
  {
    askPassphrase,
    onNote,
    isTrial = false,
  }: {
    askPassphrase?: SyncRequest["askPassphrase"] | undefined;
    onNote?: RunContext["onNote"];
    /** Makes no key. */
    isTrial?: boolean;
  } = {},
): Promise<SyncSettings> {
  return {
    branch: config["sync.branch"],
    remote: config["sync.remote"],
    author: await shareAuthor(root),
    signing: () => openSigning(root, { onNote, isTrial }),
    encryption: config["sync.encryption"],
    keyFile: join(locateHome().configDir, "sync-key.txt"),
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
  { signal, onProgress, onNote }: RunContext = {},
): Promise<SyncReport> {
  const isTrial = options.dryRun ?? false;
  const { config } = loadConfig(project);
  const settings = await syncSettings(project.root, config, { askPassphrase, onNote, isTrial });
  return changeMemory(project, (work) => syncMemory(work, settings, { ...options, signal, onProgress }), {
    create: true,
  });
}
