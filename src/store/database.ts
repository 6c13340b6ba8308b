import { closeSync, existsSync, openSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { codeOf, messageOf, PommelError } from "../project/errors.ts";

export type Database = Sqlite.Database;
export type Statement = Sqlite.Statement<unknown[]>;

/** One step forward; a database at version n has run the first n of its list. Never edit one that was released. */
export type Migration = string;

/** How long a statement waits for another process's transaction. Milliseconds. */
const busyTimeout = 5000;

/**
 * Opens a SQLite file in WAL mode, creating it (mode 0600) and bringing its schema up to date unless `readonly`.
 * @throws PommelError `not_indexed` (readonly and absent), `index_corrupt`, `index_too_new`
 */
export function openDatabase(
  file: string,
  migrations: readonly Migration[],
  { readonly }: { readonly: boolean },
): Database {
  if (readonly && !existsSync(file)) {
    throw new PommelError(
      "not_indexed",
      `There is no index yet (${file}).`,
      "Run `pm start` or `pm reindex`.",
    );
  }
  let db: Database | undefined;
  try {
    // SQLite gives -wal and -shm the mode of the main file, so making that one private is enough.
    if (!readonly) closeSync(openSync(file, "a", 0o600));
    db = new Sqlite(file, { readonly, timeout: busyTimeout });
    if (!readonly) {
      db.pragma("journal_mode = WAL");
      // WAL with NORMAL survives a killed process; only a power cut may lose the last transactions, whole.
      db.pragma("synchronous = NORMAL");
    }
    db.pragma("foreign_keys = ON");
    db.pragma("temp_store = MEMORY");
    migrate(db, file, migrations, readonly);
    return db;
  } catch (error) {
    db?.close();
    throw explain(error, file);
  }
}

function migrate(db: Database, file: string, migrations: readonly Migration[], readonly: boolean): void {
  const version = db.pragma("user_version", { simple: true }) as number;
  if (version > migrations.length) {
    throw new PommelError(
      "index_too_new",
      `${file} was written by a newer Pommel (schema ${version}, this one knows ${migrations.length}).`,
      "Update Pommel, or delete the file and run `pm reindex`.",
    );
  }
  if (version === migrations.length) return;
  if (readonly) {
    throw new PommelError("not_indexed", `${file} was written by an older Pommel.`, "Run `pm start`.");
  }
  for (let next = version; next < migrations.length; next++) {
    db.transaction(() => {
      db.exec(migrations[next]!);
      db.pragma(`user_version = ${next + 1}`);
    }).exclusive();
  }
}

/** Turns SQLite's errors about the file itself into ours; everything else passes through. */
export function explain(error: unknown, file: string): unknown {
  const code = codeOf(error);
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") {
    return new PommelError(
      "index_corrupt",
      `${file} is damaged: ${messageOf(error)}.`,
      "Run `pm start` or `pm reindex`: the damaged file is moved aside and rebuilt.",
      { cause: error },
    );
  }
  if (code === "SQLITE_FULL" || code === "ENOSPC") {
    return new PommelError(
      "disk_full",
      `The disk that holds ${file} is full.`,
      "Free some space; indexing goes on by itself, what is indexed stays searchable.",
      { cause: error },
    );
  }
  if (code === "EACCES" || code === "EROFS" || /^SQLITE_(CANTOPEN|READONLY)/.test(code)) {
    return new PommelError(
      "unreadable",
      `${file} cannot be opened: ${messageOf(error)}.`,
      "Check who owns it with `pm doctor`.",
      { cause: error },
    );
  }
  return error;
}
