import { join } from "node:path";
import { changeMemory } from "../../answers/changing.ts";
import type { Running } from "../../answers/operation.ts";
import { loadConfig } from "../../base/config/config.ts";
import type { Config } from "../../base/config/settings.ts";
import { locateHome } from "../../base/home.ts";
import type { Project } from "../../base/paths.ts";
import { readGitTextIfAny } from "../../git/git.ts";
import { readCheckoutIdentity } from "../../git/projects/identity.ts";
import { cleanLabel } from "../../protocol/outside.ts";
import { syncPassphraseVariable } from "../../sync/codec/open-codec.ts";
import type { Signing } from "../../sync/origin/signed-records.ts";
import { findSigningKey, locateKeyFile } from "../../sync/origin/signing-key.ts";
import { Trust, trustFileIn } from "../../sync/origin/trust.ts";
import type { SyncOptions, SyncReport, SyncSettings } from "../../sync/report.ts";
import { syncMemory } from "../../sync/sync.ts";

/** Whose words this person's agents get. */
export const readTrust = async (root: string): Promise<Trust> => openTrust(await shareAuthor(root));

/** @param name this person's */
const openTrust = (name: string | null) => new Trust(trustFileIn(locateHome()), [name ?? ""]);

/** Under which name this person shares; null: none is known. */
export async function shareAuthor(root: string): Promise<string | null> {
  return cleanLabel("author", (await readGitTextIfAny(root, ["config", "user.email"])) ?? "") || null;
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
  {
    askPassphrase,
    onNote,
    isTrial = false,
  }: {
    askPassphrase?: SyncRequest["askPassphrase"] | undefined;
    onNote?: Running["onNote"];
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

/** What this machine signs with, and under which name. */
export interface PersonSigning extends Signing {
  /** null: none is known. */
  name: string | null;
}

/** @param how `isTrial`: no key is made */
export async function openSigning(
  root: string,
  { onNote, isTrial = false }: { onNote?: Running["onNote"]; isTrial?: boolean } = {},
): Promise<PersonSigning> {
  const [name, identity] = await Promise.all([shareAuthor(root), readCheckoutIdentity(root, null)]);
  const trust = openTrust(name);
  const file = locateKeyFile(locateHome().configDir);
  const onMade = () =>
    onNote?.(
      `Created the key ${file}, which signs what you share. \`pm share trust --mine\` tells your other machines.`,
    );
  const key = await findSigningKey(root, { file, make: !isTrial, onMade });
  if (key?.fingerprint && !isTrial) trust.rememberSigner(key.fingerprint, name, "yours");
  // Of a clone that was cut off, or without commits, nobody can tell whose signatures are for it.
  const projects = identity.gitId === null ? [noRepository] : (identity.roots ?? []);
  return { key, trust, name, projects };
}

/** What signatures name where there is no repository: such a memory leaves in a file only. */
const noRepository = "no repository";

/**
 * Pushes or pulls a project's memory: a daemon sees pulled data with its next query.
 * @throws PommelError `sync_refused`, `sync_failed`, and what opening the memory throws
 */
export async function syncProject(
  project: Project,
  { askPassphrase, ...options }: SyncRequest,
  { signal, onProgress, onNote }: Running = {},
): Promise<SyncReport> {
  const isTrial = options.dryRun ?? false;
  const { config } = loadConfig(project);
  const settings = await syncSettings(project.root, config, { askPassphrase, onNote, isTrial });
  return changeMemory(project, (work) => syncMemory(work, settings, { ...options, signal, onProgress }), {
    create: true,
  });
}
