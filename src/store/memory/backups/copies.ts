import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import * as z from "zod/mini";
import { listNamesIfAny } from "../../../base/files/if-any.ts";
import { writeJson } from "../../../base/files/replace-file.ts";
import { listMigrationBackups } from "../../sqlite/database.ts";
import { listTrashedMemories, locateMemoryFile } from "../../trash/trash.ts";

/** Copies of memory.db: where they lie, and what they are called. */

/** `daily` ones are replaced by newer ones, `manual` ones stay; the others are made before something replaces the memory. */
type BackupReason = "daily" | "manual" | "migration" | "replaced";

export interface BackupFile {
  file: string;
  reason: BackupReason;
  /** Milliseconds. */
  at: number;
  bytes: number;
}

/** Copies in a folder: `memory-20261122T193500Z-daily.db`. */
const namePattern = /^memory-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(daily|manual)\.db$/;

/**
 * Where the backups of a memory lie: in `backups/` beside it, or in a folder of its own in `chosen`, which several projects
 * may share.
 */
export function locateBackupFolder(memoryDb: string, chosen: string): string {
  const beside = dirname(memoryDb);
  return chosen === "" ? join(beside, "backups") : join(resolve(chosen), basename(beside));
}

/** All folders that are known to hold backups of a memory: the one beside it, and where the last one was made. */
export function listKnownBackupFolders(memoryDb: string): string[] {
  const { backup } = readCare(memoryDb);
  return [...new Set([locateBackupFolder(memoryDb, ""), ...(backup ? [backup.folder] : [])])];
}

/** The first name of this second that is free. */
export function chooseFreeBackupName(folder: string, reason: "daily" | "manual", now = Date.now()): string {
  for (let at = now; ; at += 1000) {
    const stamp = new Date(at).toISOString().replace(/\.\d+/, "").replace(/[:-]/g, "");
    const file = join(folder, `memory-${stamp}-${reason}.db`);
    if (!statSync(file, { throwIfNoEntry: false })) return file;
  }
}

/**
 * What restores replaced, the latest first. A copy that is the memory itself is none: the restore that made it did not come to
 * replace it.
 */
export const listReplacedFiles = (memoryDb: string): string[] =>
  listTrashedMemories(memoryDb)
    .map(locateMemoryFile)
    .filter((file) => existsSync(file) && !isSameFile(file, memoryDb));

/** Whether both are names of one file: what is put aside keeps its place until it is replaced. */
export function isSameFile(a: string, b: string): boolean {
  const [one, other] = [a, b].map((file) => statSync(file, { throwIfNoEntry: false, bigint: true }));
  if (!one || !other || one.nlink < 2n) return false;
  return one.ino === other.ino && one.dev === other.dev;
}

/** What `pm doctor --repair` has put beside the memory: what was damaged. */
export function listDamagedFiles(memoryDb: string): string[] {
  const beginning = `${basename(memoryDb)}.damaged-`;
  return listNamesIfAny(dirname(memoryDb))
    .filter((name) => name.startsWith(beginning) && !/-(?:wal|shm)$/.test(name))
    .map((name) => join(dirname(memoryDb), name));
}

/** Everything that a memory can be restored from: newest first, then what a wrong clock dated later than now. */
export function listBackups(memoryDb: string, folder: string, now = Date.now()): BackupFile[] {
  const before = listMigrationBackups(memoryDb).map((file) => ({ file, reason: "migration" as const }));
  const replaced = listReplacedFiles(memoryDb).map((file) => ({ file, reason: "replaced" as const }));
  const beside = [...before, ...replaced].flatMap(({ file, reason }) => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat?.isFile() ? [{ file, reason, at: Math.trunc(stat.mtimeMs), bytes: stat.size }] : [];
  });
  const order = ({ at }: BackupFile) => (at > now + clockToleranceMs ? Number.NEGATIVE_INFINITY : at);
  return [...listBackupsInFolder(folder), ...beside].sort((a, b) => order(b) - order(a) || b.at - a.at);
}

/** As `listBackups`, in all folders that are known. */
export function listAllBackups(memoryDb: string): BackupFile[] {
  const all = listKnownBackupFolders(memoryDb).flatMap((folder) => listBackups(memoryDb, folder));
  return [...new Map(all.map((one) => [one.file, one])).values()];
}

/** File systems and names are less exact than the clock. Milliseconds. */
const clockToleranceMs = 60_000;

/** Backups in a folder, of times that have come: newest first. A clock that was in the future made the others. */
export const listDatedBackups = (folder: string, now = Date.now()): BackupFile[] =>
  listBackupsInFolder(folder)
    .filter(({ at }) => at <= now + clockToleranceMs)
    .sort((a, b) => b.at - a.at);

function listBackupsInFolder(folder: string): BackupFile[] {
  // Empty where none was made yet, or the disk with them is not there.
  return listNamesIfAny(folder).flatMap((name) => {
    const [, year, month, day, hours, minutes, seconds, reason] = namePattern.exec(name) ?? [];
    const file = join(folder, name);
    const stat = reason === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
    if (!stat) return [];
    const at = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`);
    return [{ file, reason: reason as "daily" | "manual", at, bytes: stat.size }];
  });
}

/** `care.json`: when the memory was last backed up and checked. Beside the memory, not in it: that may be damaged. */

const schema = z.object({
  backup: z.optional(
    z.object({
      /** When it was last looked whether one is needed. Milliseconds. */
      at: z.number(),
      folder: z.string(),
      /** Why the last one failed; null when it did not. */
      problem: z.nullable(z.string()),
    }),
  ),
  check: z.optional(
    z.object({
      at: z.number(),
      /** What is wrong; null when it is sound. */
      problem: z.nullable(z.string()),
    }),
  ),
});
export type CareRecord = z.infer<typeof schema>;

const locateCareFile = (memoryDb: string) => join(dirname(memoryDb), "care.json");

export function readCare(memoryDb: string): CareRecord {
  try {
    return z.parse(schema, JSON.parse(readFileSync(locateCareFile(memoryDb), "utf8")));
  } catch {
    // Nothing was done yet; what cannot be read is written anew.
    return {};
  }
}

export function noteCare(memoryDb: string, change: CareRecord): void {
  writeJson(locateCareFile(memoryDb), { ...readCare(memoryDb), ...change });
}
