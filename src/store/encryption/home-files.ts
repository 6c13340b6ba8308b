import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { getErrorCode, PommelError } from "../../base/errors.ts";
import { locateDaemonFiles, locateHome } from "../../base/home.ts";
import { isSealed } from "../../protocol/sealed-text.ts";
import { locateEngineFolder } from "../index/engine-folder.ts";
import { listTrash, locateRowsFile, locateTrash } from "../trash/trash.ts";
import { listPlainInVault } from "../vault/vault.ts";

/** What a home holds that is encrypted when the home is, and what of it is plain. */

export interface HomeFiles {
  /** Folders of backups outside of the home. */
  backups: readonly string[];
}

/** The folders with databases: those of projects and checkouts, of the trash, and of backups elsewhere. */
export function listDatabaseFolders(options: HomeFiles): string[] {
  const { dataDir, cacheDir } = locateHome();
  const all = [
    dataDir,
    ...listProjectFolders(),
    ...listSubfolders(locateTrash()),
    ...listSubfolders(join(cacheDir, "checkouts")),
    ...options.backups,
  ];
  return [...new Set(all)].filter((dir) => existsSync(dir));
}

function listSubfolders(dir: string): string[] {
  if (!existsSync(dir)) return [];
  const entries = readdirSync(dir, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(dir, name));
}

/** Of all projects, also of those in the trash. */
const listProjectFolders = () =>
  [locateHome().dataDir, ...listSubfolders(locateTrash())].flatMap((dir) =>
    listSubfolders(join(dir, "projects")),
  );

/** The audit logs of all projects. */
export const listAuditFolders = (): string[] => listProjectFolders().map((dir) => join(dir, "audit"));

/** What is stored without encryption, though it could be encrypted. */
export function listPlainFiles(options: HomeFiles): string[] {
  const texts = [
    ...listDaemonTexts(),
    ...listTrashedTexts(),
    ...listAuditFolders().flatMap(listAuditTexts),
  ].filter((file) => {
    const text = readFileSync(file, "utf8");
    return text.split("\n").some((line) => line !== "" && !isSealed(line));
  });
  return [
    ...findPlainDatabases(listHomeDatabases(options)),
    ...texts,
    ...listPlainInVault(),
    ...listEngineFolders(),
  ];
}

export const listHomeDatabases = (options: HomeFiles): string[] =>
  listDatabasesIn(listDatabaseFolders(options));

/** Locks and the registry stay plain: whoever has no key must see who holds them, and which projects there are. */
function listDatabasesIn(folders: readonly string[]): string[] {
  return withBackups(folders).flatMap((dir) =>
    listFilesIn(dir).filter(
      (file) =>
        /\.db(?:$|\.)/.test(file) && !/-(?:wal|shm|journal)$|\.pommel-\d+|registry\.db[^/\\]*$/.test(file),
    ),
  );
}

export const withBackups = (folders: readonly string[]) => [
  ...folders,
  ...folders.map((dir) => join(dir, "backups")),
];

/** The spool and the log; not what Node prints in a crash. */
export function listDaemonTexts(): string[] {
  const { spoolDir, logDir } = locateDaemonFiles();
  return [
    ...[spoolDir, join(spoolDir, "rejected")].flatMap(listFilesIn).filter((file) => file.endsWith(".json")),
    ...listFilesIn(logDir).filter((file) => /pommeld\.log(?:\.\d)?$/.test(file)),
  ];
}

export const listAuditTexts = (auditDir: string): string[] =>
  listFilesIn(auditDir).filter((file) => file.endsWith(".jsonl"));

/** Rows that were taken from memories. */
export const listTrashedTexts = (): string[] =>
  listTrash()
    .map(locateRowsFile)
    .filter((file) => existsSync(file));

/** Of engines, which cannot encrypt. */
export const listEngineFolders = (): string[] =>
  listSubfolders(join(locateHome().cacheDir, "checkouts"))
    .map((dir) => locateEngineFolder(join(dir, "index.db")))
    .filter((dir) => existsSync(dir));

export function listFilesIn(dir: string): string[] {
  try {
    const entries = readdirSync(dir, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => join(dir, name));
  } catch (error) {
    if (/^(?:ENOENT|ENOTDIR)$/.test(getErrorCode(error))) return [];
    throw error;
  }
}

/**
 * Those databases that are plain. Another process looks: to close a file, or to open it with another SQLite, would drop the
 * locks that this process has on it.
 */
export function findPlainDatabases(files: readonly string[]): Set<string> {
  if (files.length === 0) return new Set();
  const look = `
    const { openSync, readSync } = require("node:fs");
    const begins = (file) => {
      const head = Buffer.alloc(16);
      readSync(openSync(file, "r"), head, 0, 16, 0);
      return head.toString("latin1") === "SQLite format 3\\0";
    };
    process.stdout.write(JSON.stringify(process.argv.slice(1).map(begins)));`;
  const { stdout, stderr, error } = spawnSync(process.execPath, ["-e", look, "--", ...files], {
    encoding: "utf8",
    env: {},
  });
  if (error !== undefined || stdout === "") {
    throw new PommelError("unreadable", `Databases cannot be read: ${error?.message ?? stderr}`);
  }
  const plain = z.parse(z.array(z.boolean()), JSON.parse(stdout));
  return new Set(files.filter((_, i) => plain[i]));
}
