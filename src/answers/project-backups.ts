import { loadConfig } from "../base/config/config.ts";
import { locateHome } from "../base/home.ts";
import { isInside, type Project } from "../base/paths.ts";
import {
  type BackupFile,
  listAllBackups,
  listBackups,
  locateBackupFolder,
} from "../store/memory/backups/copies.ts";
import { removeCopies, removeCopy } from "../store/memory/backups/put-in-place.ts";

/** Backups of a project outside of Pommel's data: in `backup.folder`, and where the last one was made. */
export function listBackupsElsewhere(project: Project): BackupFile[] {
  const { memoryDb } = project;
  const folder = locateBackupFolder(memoryDb, loadConfig(project).config["backup.folder"]);
  const found = new Map(
    [...listBackups(memoryDb, folder), ...listAllBackups(memoryDb)].map((backup) => [backup.file, backup]),
  );
  return [...found.values()].filter(({ file }) => !isInside(file, locateHome().dataDir));
}

/** Deletes all backups of a project, wherever they are, and what is in the trash of it. */
export function deleteBackups(project: Project): void {
  for (const { file } of listBackupsElsewhere(project)) removeCopy(file);
  removeCopies(project.memoryDb);
}
