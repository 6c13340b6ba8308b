import { existsSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { getErrorCode, getErrorMessage, PommelError } from "../base/errors.ts";
import { readFileId } from "../base/files/file-id.ts";
import { listProjectFiles } from "./project-file.ts";
import { createPrivately, explain as explainBusy } from "./sqlite/database.ts";
import { Sqlite } from "./sqlite/sqlite.ts";

/** `registry.db` as a file: its tables, how it is opened, and made again where it is damaged. */

/** A command that is about something else waits no longer for it; on a busy machine a change takes more than a second. Milliseconds. */
const timeoutMs = 3000;

const registryVersion = 2;

const schema = `
  CREATE TABLE projects (
    id           TEXT PRIMARY KEY,
    name         TEXT NOT NULL,
    roots        TEXT NOT NULL,
    remotes      TEXT NOT NULL,
    within       TEXT NOT NULL,
    is_named     INTEGER NOT NULL,
    is_off       INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE checkouts (
    root         TEXT PRIMARY KEY,
    project      TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE ON UPDATE CASCADE,
    root_id      TEXT,
    git_id       TEXT,
    notice       TEXT,
    last_used_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX checkouts_project ON checkouts (project);
`;

/** Made where there is none. @throws PommelError `unreadable`, `disk_full`, `busy`, `index_too_new` */
export function openRegistryFile(file: string): Sqlite {
  try {
    const db = openFile(file);
    if (db.prepare("SELECT 1 FROM projects").get() === undefined) restoreProjects(db, dirname(file));
    return db;
  } catch (error) {
    if (!isDamaged(error)) throw explain(error, file);
    return rebuildRegistryFile(file);
  }
}

/** Moves a damaged one aside. @throws PommelError `unreadable`, `disk_full` */
export function rebuildRegistryFile(file: string): Sqlite {
  try {
    const aside = `${file}.damaged-${Date.now()}`;
    for (const end of ["", "-wal", "-shm", "-journal"])
      if (existsSync(file + end)) renameSync(file + end, aside + end);
    const db = openFile(file);
    restoreProjects(db, dirname(file));
    return db;
  } catch (error) {
    throw explain(error, file);
  }
}

function openFile(file: string): Sqlite {
  // Made here for its mode, which SQLite gives to what it makes beside it.
  createPrivately(file);
  const db = new Sqlite(file, { mode: "create", timeoutMs, key: null });
  try {
    const readSchemaNumber = () => db.pragma("user_version") as number;
    if (readSchemaNumber() < registryVersion) {
      db.exec("PRAGMA journal_mode = WAL");
      db.transaction("immediate", () => {
        // Another process may have been first.
        if (readSchemaNumber() === registryVersion) return;
        db.exec(schema);
        db.exec(`PRAGMA user_version = ${registryVersion}`);
      });
    }
    if (readSchemaNumber() !== registryVersion) {
      throw new PommelError(
        "index_too_new",
        `${file} was written by a newer Pommel.`,
        "Update Pommel, or delete the file: it is made again from the projects beside it.",
      );
    }
    db.exec("PRAGMA foreign_keys = ON; SELECT count(*) FROM checkouts");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** From what the projects beside the registry say of themselves. */
function restoreProjects(db: Sqlite, dataDir: string): void {
  const now = Date.now();
  for (const { id, name, roots, remotes, within, named, off, checkouts } of listProjectFiles(dataDir)) {
    try {
      const [rootList, remoteList] = [JSON.stringify(roots), JSON.stringify(remotes)];
      db.prepare("INSERT OR IGNORE INTO projects VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)").run(
        id,
        name,
        rootList,
        remoteList,
        within,
        Number(named),
        Number(off),
        now,
        now,
      );
      const insert = db.prepare("INSERT OR IGNORE INTO checkouts VALUES (?, ?, ?, NULL, NULL, ?)");
      for (const root of checkouts) insert.run(root, id, readFileId(root), now);
    } catch {
      // Of the others as much as there is.
    }
  }
}

/** Also one that says it is ours but has other tables, or fields that are not what was written. */
export const isDamaged = (error: unknown): boolean =>
  error instanceof SyntaxError ||
  /^SQLITE_(?:CORRUPT|NOTADB|ERROR|IOERR_SHORT_READ)$/.test(getErrorCode(error));

/** As a PommelError. */
export function explain(error: unknown, file: string): unknown {
  if (error instanceof PommelError) return error;
  const code = getErrorCode(error);
  if (code.startsWith("SQLITE_BUSY")) return explainBusy(error, file);
  if (code === "ENOSPC" || code === "SQLITE_FULL")
    return new PommelError("disk_full", `The disk that holds ${dirname(file)} is full.`, "Free some space.", {
      cause: error,
    });
  return new PommelError(
    "unreadable",
    `Cannot use ${file}: ${getErrorMessage(error)}.`,
    "Check the directory's owner and permissions, or set POMMEL_HOME to another one.",
    { cause: error },
  );
}
