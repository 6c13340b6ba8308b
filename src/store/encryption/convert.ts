import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { getErrorMessage, PommelError } from "../../base/errors.ts";
import { removeDeadDrafts } from "../../base/files/dead-drafts.ts";
import { withFileLock } from "../../base/files/file-lock.ts";
import { makeDraftPath, replaceFile, sync } from "../../base/files/replace-file.ts";
import { locateHome, makeDirectory } from "../../base/home.ts";
import { locateAuditLock } from "../../base/paths.ts";
import { removeAllReady } from "../../protocol/ready-context.ts";
import { isSealed, readPublicKey, seal } from "../../protocol/sealed-text.ts";
import { removeIndexCache } from "../index/index-cache.ts";
import { leaveRoom, removeDatabase } from "../sqlite/copy-database.ts";
import { isDamaged, openElsewhere } from "../sqlite/database.ts";
import { Sqlite } from "../sqlite/sqlite.ts";
import { convertVault } from "../vault/vault.ts";
import {
  type Envelope,
  envelopeName,
  locateOwnEnvelope,
  makeDataKey,
  readEnvelope,
  readHomeEnvelope,
  wrap,
  writeEnvelope,
} from "./envelope.ts";
import {
  findPlainDatabases,
  type HomeFiles,
  listAuditFolders,
  listAuditTexts,
  listDaemonTexts,
  listDatabaseFolders,
  listEngineFolders,
  listFilesIn,
  listHomeDatabases,
  listTrashedTexts,
  withBackups,
} from "./home-files.ts";
import { findDatabaseKey, makeKeySource, unlock, unsealText } from "./keys.ts";
import { getSealedEngine } from "./sealed-driver.ts";

/**
 * Encrypts everything in a person's home, or decrypts it, file by file: each is written anew beside the old one, checked, forced to
 * the disk and put in its place. Whoever is interrupted leaves some files as they were and some as they will be, and all of
 * them readable; running it again does the rest. No daemon may run.
 */

export interface Conversion {
  /** Paths of what was written anew. */
  files: string[];
}

export interface ConvertOptions extends HomeFiles {
  onFile?: (file: string) => void;
}

/**
 * @param choice where a new key comes from; a home that is encrypted already keeps its own
 * @throws PommelError `encryption_unavailable`, `encryption_locked`, `locked`, `disk_full`
 */
export function encryptHome(choice: string, options: ConvertOptions): Conversion {
  getSealedEngine();
  const envelope = readHomeEnvelope() ?? makeEnvelope(choice);
  // Whether the key can be had again, before anything depends on it.
  unlock(envelope);
  const { dataDir } = locateHome();
  makeDirectory(dataDir);
  // Backups elsewhere may outlive the home.
  for (const dir of [dataDir, ...options.backups])
    if (existsSync(dir) && readEnvelope(dir) === null) writeEnvelope(dir, envelope);
  return convertAll("encrypt", options);
}

function makeEnvelope(choice: string): Envelope {
  const key = makeDataKey();
  const { source, wrappingKey } = makeKeySource(choice, key.id);
  return wrap(key, source, wrappingKey);
}

/** The key stays where it is: copies that were made elsewhere may need it. */
export function decryptHome(options: ConvertOptions): Conversion {
  const envelope = readHomeEnvelope();
  if (envelope === null) return { files: [] };
  unlock(envelope);
  const converted = convertAll("decrypt", options);
  for (const dir of listDatabaseFolders(options)) rmSync(join(dir, envelopeName), { force: true });
  return converted;
}

/**
 * Has the data key come from a new key of its source, or from another source. What is stored is not written anew.
 * @param newPassphrase sets the new one, once the old one is known
 * @throws PommelError `not_found` where nothing is encrypted, as `unlock`
 */
export function rotateKey(
  choice: string,
  options: ConvertOptions,
  newPassphrase: () => void = () => {},
): void {
  const envelope = readHomeEnvelope();
  if (envelope === null) {
    throw new PommelError("not_found", "Nothing is encrypted here.", "`pm memory encrypt` encrypts it.");
  }
  const key = unlock(envelope);
  newPassphrase();
  const { source, wrappingKey } = makeKeySource(choice, key.id);
  const renewed = wrap(key, source, wrappingKey);
  for (const dir of listDatabaseFolders(options)) {
    // A folder with older backups may have another data key.
    if (readEnvelope(dir)?.id === envelope.id) writeEnvelope(dir, renewed);
  }
}

/** Each is converted with the key of its folder. */
function convertAll(to: "encrypt" | "decrypt", options: ConvertOptions): Conversion {
  removeLeftovers(options);
  // They are made again as the home is then.
  removeIndexCache();
  removeAllReady();
  const files: string[] = [];
  const done = (file: string) => {
    files.push(file);
    options.onFile?.(file);
  };
  const databases = listHomeDatabases(options);
  const plain = findPlainDatabases(databases);
  for (const file of databases) {
    if (plain.has(file) === (to === "decrypt")) continue;
    convertDatabase(file, findDatabaseKey(file), to);
    if (to === "decrypt") rmSync(locateOwnEnvelope(file), { force: true });
    done(file);
  }
  // Engines cannot encrypt them; an index is made again.
  if (to === "encrypt") for (const dir of listEngineFolders()) rmSync(dir, { recursive: true, force: true });
  convertTexts([...listDaemonTexts(), ...listTrashedTexts()], to).forEach(done);
  for (const dir of listAuditFolders()) convertAudit(dir, to).forEach(done);
  convertVault(to).forEach(done);
  return { files };
}

/** Commands that read go on meanwhile, and are recorded. */
const convertAudit = (auditDir: string, to: "encrypt" | "decrypt"): string[] =>
  existsSync(auditDir)
    ? withFileLock(locateAuditLock({ auditDir }), () => convertTexts(listAuditTexts(auditDir), to))
    : [];

/** @returns those that were written anew */
const convertTexts = (texts: readonly string[], to: "encrypt" | "decrypt"): string[] =>
  texts.filter((file) => convertText(file, to));

/**
 * What an interruption left half written, some of it plain, and damaged indexes, which were rebuilt. Drafts of processes
 * that still run are theirs.
 */
function removeLeftovers(options: ConvertOptions): void {
  const folders = withBackups(listDatabaseFolders(options));
  removeDeadDrafts(folders);
  for (const file of folders.flatMap(listFilesIn)) {
    if (/index\.db\.corrupt-[^/\\]+$/.test(file)) rmSync(file, { force: true });
  }
}

function convertDatabase(file: string, key: string | null, to: "encrypt" | "decrypt"): void {
  try {
    copyInPlace(file, key, to);
  } catch (error) {
    // One of the packages gives no better code.
    if (!isDamaged(error) && !/malformed/.test(getErrorMessage(error))) throw error;
    throw new PommelError(
      "unreadable",
      `${file} is damaged, and cannot be ${to}ed: ${getErrorMessage(error)}.`,
      "Repair it with `pm doctor --repair`, or move it away. Then run this again, which does the rest.",
      { cause: error },
    );
  }
}

function copyInPlace(file: string, key: string | null, to: "encrypt" | "decrypt"): void {
  const [before, after] = to === "encrypt" ? [null, key] : [key, null];
  const draft = makeDraftPath(file);
  removeDatabase(draft);
  try {
    const db = new Sqlite(file, { mode: "write", timeoutMs: 2000, key: before });
    try {
      closeLog(db, file);
      leaveRoom(db, dirname(file));
    } finally {
      db.close();
    }
    // Made here for its mode; SQLite writes into an empty file.
    closeSync(openSync(draft, "wx", 0o600));
    getSealedEngine().copy({ file, key: before, readOnly: false, timeout: 2000 }, draft, after);
    check(file, before, draft, after);
    sync(draft);
    renameSync(draft, file);
    sync(dirname(file));
    for (const end of ["-wal", "-shm"]) rmSync(file + end, { force: true });
  } finally {
    removeDatabase(draft);
  }
}

/** All is in the file itself then, and nobody else has it open. */
function closeLog(db: Sqlite, file: string): void {
  try {
    db.exec("PRAGMA journal_mode = DELETE");
  } catch (error) {
    throw openElsewhere(error, file) ?? error;
  }
}

function check(file: string, before: string | null, draft: string, after: string | null): void {
  const [then, now] = [readDatabaseState(file, before), readDatabaseState(draft, after)];
  if (now.verdict === "ok" && now.content === then.content) return;
  throw new PommelError(
    "unreadable",
    `The new copy of ${file} differs from what was written: ${now.verdict}.`,
    "Check the disk. Nothing was changed.",
  );
}

function readDatabaseState(file: string, key: string | null) {
  const db = new Sqlite(file, { mode: "read", timeoutMs: 2000, key });
  try {
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
      .pluck()
      .all() as string[];
    const counts = tables.map((name) =>
      db
        .prepare(`SELECT count(*) FROM "${name.replaceAll('"', '""')}"`)
        .pluck()
        .get(),
    );
    const content = JSON.stringify([db.pragma("user_version"), db.pragma("auto_vacuum"), tables, counts]);
    return { verdict: String(db.pragma("quick_check(1)")), content };
  } catch (error) {
    return { verdict: getErrorMessage(error), content: "" };
  } finally {
    db.close();
  }
}

/** @returns whether it was written anew */
function convertText(file: string, to: "encrypt" | "decrypt"): boolean {
  const lines = readFileSync(file, "utf8").split("\n");
  const publicKey = to === "encrypt" ? readPublicKey() : null;
  const converted = lines.map((line) => {
    if (line === "" || isSealed(line) === (to === "encrypt")) return line;
    return publicKey === null ? unsealText(line) : seal(line, publicKey);
  });
  if (converted.every((line, i) => line === lines[i])) return false;
  replaceFile(file, converted.join("\n"), { synced: true });
  return true;
}
