import { existsSync } from "node:fs";
import { join } from "node:path";
import { gitTextIfAny } from "../../git/git.ts";
import { projectRoots } from "../../git/projects/roots.ts";
import { loadConfig } from "../../project/config/config.ts";
import type { Config } from "../../project/config/settings.ts";
import { homeOf } from "../../project/home.ts";
import type { Project } from "../../project/paths.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { ChangedThing } from "../../store/memory/sharing.ts";
import { syncPassphraseVariable } from "../../sync/codec/open-codec.ts";
import { thingsToExport } from "../../sync/export-files.ts";
import type { SyncOptions, SyncReport, SyncSettings } from "../../sync/report.ts";
import { isSharing, syncMemory } from "../../sync/sync.ts";
import { changing } from "../changing.ts";
import { withMemory } from "../open.ts";
import type { Running } from "../operations.ts";

/** Under which name this person shares; null: none is known. */
export async function shareAuthor(root: string): Promise<string | null> {
  return (await gitTextIfAny(root, ["config", "user.email"])) || null;
}

/** How many things are new since the memory was shared last, by kind. */
type NotShared = Partial<Record<ChangedThing["kind"], number>>;

/**
 * @returns null where sharing is not in use
 * @throws PommelError where the memory cannot be read
 */
export function notSharedYet(project: Project): Promise<NotShared | null> {
  if (!existsSync(project.memoryDb)) return Promise.resolve(null);
  return withMemory(project, (memory) => notSharedOf(project, memory));
}

async function notSharedOf({ root }: Project, memory: Memory): Promise<NotShared | null> {
  if (!isSharing(memory)) return null;
  const worktrees = (await projectRoots(root)).filter((each) => each !== root);
  const { things } = thingsToExport({ work: { memory, root, worktrees } }, { everything: false });
  const uids = new Map<ChangedThing["kind"], Set<string>>();
  for (const { kind, uid } of things) uids.set(kind, (uids.get(kind) ?? new Set()).add(uid));
  return Object.fromEntries([...uids].map(([kind, of]) => [kind, of.size]));
}

const words: Record<ChangedThing["kind"], [one: string, several: string]> = {
  session: ["session", "sessions"],
  annotation: ["note", "notes"],
  checkpoint: ["checkpoint", "checkpoints"],
  attribution: ["commit's lines", "commits' lines"],
  event: ["event", "events"],
};

/** "2 sessions and 3 checkpoints are not shared yet."; null where all is. */
export function notSharedText(counts: NotShared): string | null {
  const parts = (Object.keys(words) as ChangedThing["kind"][]).flatMap((kind) => {
    const n = counts[kind] ?? 0;
    return n === 0 ? [] : [{ n, text: `${n.toLocaleString("en")} ${words[kind][n === 1 ? 0 : 1]}` }];
  });
  if (parts.length === 0) return null;
  const list = new Intl.ListFormat("en").format(parts.map(({ text }) => text));
  const isOne = parts.length === 1 && parts[0]!.n === 1;
  return `${list} ${isOne ? "is" : "are"} not shared yet.`;
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
