import { existsSync, statSync } from "node:fs";
import { loadConfig } from "../../project/config/config.ts";
import type { Project } from "../../project/paths.ts";
import { encryptHome } from "../../store/encryption/convert.ts";
import { envelopeFor, homeEnvelope, ownEnvelope } from "../../store/encryption/envelope.ts";
import { type BackupContent, contentOf, uidsOf } from "../../store/memory/backups/backup-content.ts";
import { backUp } from "../../store/memory/backups/backups.ts";
import {
  type BackupFile,
  backupFolder,
  freeName,
  listBackups,
  replacedFiles,
} from "../../store/memory/backups/copies.ts";
import { checkBackup, replaceMemory } from "../../store/memory/backups/restore.ts";
import { backupFolders } from "../projects/known-projects.ts";

const folderOf = (project: Project): string =>
  backupFolder(project.memoryDb, loadConfig(project).config["backup.folder"]);

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
    to === undefined ? { folder: folderOf(project), reason } : { file: isFolder ? freeName(to, reason) : to };
  const { file, bytes, at } = backUp(project.memoryDb, target);
  const key = existsSync(ownEnvelope(file)) ? ownEnvelope(file) : null;
  return { file, bytes, at, isEncrypted: envelopeFor(file) !== null, key };
}

export interface ListedBackup extends BackupFile {
  /** null: damaged. Whoever has not the key of a copy still sees that it is there. */
  content: BackupContent | "locked" | null;
}

export function listedBackups(project: Project): ListedBackup[] {
  return listBackups(project.memoryDb, folderOf(project)).map((backup) => {
    try {
      return { ...backup, content: contentOf(backup.file) };
    } catch {
      return { ...backup, content: "locked" };
    }
  });
}

/** What the latest restore replaced; null: there is none to undo. */
export const replacedLast = (project: Project): string | null => replacedFiles(project.memoryDb)[0] ?? null;

type Counts = { sessions: number; notes: number };

export interface RestorePreview {
  /** Of what the memory holds now; null when it cannot be read. */
  lost: Counts | null;
  gained: Counts | null;
  holds: (Counts & { commits: number; last_at: string | null }) | null;
}

/** What a restore would change. @throws PommelError where the file is no backup that can be restored */
export function previewRestore({ memoryDb }: Project, { backup }: { backup: string }): RestorePreview {
  checkBackup(backup);
  const content = contentOf(backup);
  const holds = content && {
    sessions: content.sessions,
    notes: content.notes,
    commits: content.commits,
    last_at: content.lastAt === null ? null : new Date(content.lastAt).toISOString(),
  };
  try {
    const [now, then] = [uidsOf(memoryDb), uidsOf(backup)];
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

/** Puts a backup in the place of the memory, which no daemon may have open. */
export function restoreBackup({ memoryDb }: Project, { backup }: { backup: string }): void {
  const wasEncrypted = homeEnvelope() !== null;
  replaceMemory(memoryDb, backup);
  // What else is stored follows a memory that is encrypted from now on.
  if (!wasEncrypted && homeEnvelope()) encryptHome("", { backups: backupFolders() });
}
