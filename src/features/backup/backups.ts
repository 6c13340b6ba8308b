import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import { listBackupFolders } from "../../answers/known-projects.ts";
import { loadConfig } from "../../base/config/config.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { encryptHome } from "../../store/encryption/convert.ts";
import {
  findEnvelopeOfDatabase,
  locateOwnEnvelope,
  readHomeEnvelope,
} from "../../store/encryption/envelope.ts";
import { ensureKeeper } from "../../store/keeper.ts";
import {
  type BackupContent,
  readBackupContent,
  readUids,
} from "../../store/memory/backups/backup-content.ts";
import { makeBackup } from "../../store/memory/backups/backups.ts";
import {
  type BackupFile,
  chooseFreeBackupName,
  listBackups,
  locateBackupFolder,
} from "../../store/memory/backups/copies.ts";
import { checkBackup, replaceMemory } from "../../store/memory/backups/restore.ts";
import {
  isSameProject,
  type OwnProject,
  readMemoryKeeper,
  readMemoryProject,
  readProjectBeside,
} from "../../store/memory/backups/whose-memory.ts";

const chooseBackupFolder = (project: Project): string =>
  locateBackupFolder(project.memoryDb, loadConfig(project).config["backup.folder"]);

/**
 * Copies the memory, while whoever writes to it goes on.
 * @param to absolute; with a final slash, or where it is a directory, a file in it. Left out: the project's own folder
 */
export function backUpMemory(project: Project, { to }: { to?: string | undefined }) {
  const reason = "manual" as const;
  const isFolder =
    to !== undefined &&
    (/[\\/]$/.test(to) || statSync(to, { throwIfNoEntry: false })?.isDirectory() === true);
  const target =
    to === undefined
      ? { folder: chooseBackupFolder(project), reason }
      : { file: isFolder ? chooseFreeBackupName(to, reason) : to };
  const { file, bytes, at } = makeBackup(project.memoryDb, target);
  const key = existsSync(locateOwnEnvelope(file)) ? locateOwnEnvelope(file) : null;
  return { file, bytes, at, isEncrypted: findEnvelopeOfDatabase(file) !== null, key };
}

export interface ListedBackup extends BackupFile {
  /** null: damaged. Whoever has not the key of a copy still sees that it is there. */
  content: BackupContent | "locked" | null;
}

export function listBackupsWithContent(project: Project): ListedBackup[] {
  return listBackups(project.memoryDb, chooseBackupFolder(project)).map((backup) => {
    try {
      return { ...backup, content: readBackupContent(backup.file) };
    } catch {
      return { ...backup, content: "locked" };
    }
  });
}

type BackupCounts = { sessions: number; notes: number };

export interface RestorePreview {
  /** Of what the memory holds now; null when it cannot be read. */
  lost: BackupCounts | null;
  gained: BackupCounts | null;
  holds: (BackupCounts & { commits: number; last_at: string | null }) | null;
}

/** A backup, and the name of this project where it is another's, another person's, or does not say whose it is. */
export interface Restore {
  backup: string;
  as?: string | undefined;
}

/**
 * Whether a backup is of this project, and this person's. What lies among its backups is, and else what the file says.
 * @throws PommelError `usage` for another one's without `as`, and where that names another project
 */
function isOwn(project: Project, { backup, as }: Restore): boolean {
  const here = readProjectBeside(project.memoryDb);
  const name = here?.name ?? basename(project.root);
  const hint = `If it is to become the memory of ${name}, and all that it says yours: \`pm memory restore ${backup} --as ${name}\`.`;
  if (as !== undefined && as !== name)
    throw new PommelError("usage", `This project is called ${name}, not ${as}.`, hint);
  if (listBackups(project.memoryDb, chooseBackupFolder(project)).some(({ file }) => file === backup))
    return true;
  const foreign = tellForeign(backup, here, name);
  if (foreign === null || as !== undefined) return foreign === null;
  throw new PommelError("usage", `${backup} ${foreign}.`, hint);
}

/** What makes a backup another project's, or another person's; null: it is neither. */
function tellForeign(backup: string, here: OwnProject | null, name: string): string | null {
  const of = readMemoryProject(backup);
  if (of === null) return `does not say which project it is of, and this is ${name}`;
  if (here === null || !isSameProject(of, here))
    return `is of the project ${quoteName(of.name)}, and this is ${name}`;
  const [keeper, own] = [readMemoryKeeper(backup), ensureKeeper()];
  if (keeper === null) return "does not say who kept it";
  return keeper.home === own?.home
    ? null
    : `was kept by ${quoteName(keeper.name)}, in another home than yours`;
}

/** A name from a file that may be anybody's. */
const quoteName = (name: string) => JSON.stringify(name.slice(0, 100));

/**
 * What a restore would change.
 * @throws PommelError where the file is no backup that can be restored, or another project's or person's
 */
export function previewRestore(project: Project, { backup, as }: Restore): RestorePreview {
  const { memoryDb } = project;
  checkBackup(backup);
  isOwn(project, { backup, as });
  const content = readBackupContent(backup);
  const holds = content && {
    sessions: content.sessions,
    notes: content.notes,
    commits: content.commits,
    last_at: content.lastAt === null ? null : new Date(content.lastAt).toISOString(),
  };
  try {
    const [now, then] = [readUids(memoryDb), readUids(backup)];
    const count = (some: typeof now, others: typeof now) => ({
      sessions: [...some.sessions].filter((uid) => !others.sessions.has(uid)).length,
      notes: [...some.notes].filter((uid) => !others.notes.has(uid)).length,
    });
    return { lost: count(now, then), gained: count(then, now), holds };
  } catch {
    // Damaged or missing: whatever the backup has is gained.
    return { lost: null, gained: null, holds };
  }
}

/** Puts a backup in the place of the memory, which no daemon may have open. @throws PommelError as `previewRestore` */
export function restoreBackup(project: Project, { backup, as }: Restore): void {
  const wasEncrypted = readHomeEnvelope() !== null;
  replaceMemory(project.memoryDb, backup, { isOwn: isOwn(project, { backup, as }) });
  // The home has the key of an encrypted backup now, and what else it holds is to be encrypted with it.
  if (!wasEncrypted && readHomeEnvelope()) encryptHome("", { backups: listBackupFolders() });
}
