import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { getErrorCode, PommelError } from "../../../base/errors.ts";
import { Sqlite } from "../../sqlite/sqlite.ts";
import { findTablesHolding } from "../schema.ts";
import { type BackupFile, listAllBackups } from "./copies.ts";

/** What a copy of a memory, or the memory itself, holds. */
export interface BackupContent {
  schema: number;
  sessions: number;
  notes: number;
  commits: number;
  /** Of the last line of a session, of the last note. Milliseconds; null without any. */
  lastAt: number | null;
}

/** How long a statement waits for another connection. Milliseconds. */
const timeoutMs = 5000;

function withReadonlyDatabase<T>(file: string, use: (db: Sqlite) => T): T {
  const db = new Sqlite(file, { mode: "read", timeoutMs });
  try {
    return use(db);
  } finally {
    db.close();
  }
}

/** @returns null when it is damaged @throws PommelError as `findDatabaseKey` */
export function readBackupContent(file: string): BackupContent | null {
  try {
    return withReadonlyDatabase(file, (db) => {
      const one = (sql: string) => db.prepare(sql).pluck().get() as number | null;
      return {
        schema: Number(db.pragma("user_version")),
        sessions: one("SELECT count(*) FROM sessions WHERE agent <> 'pommel'") ?? 0,
        notes: one("SELECT count(*) FROM annotations") ?? 0,
        commits: one("SELECT count(*) FROM commits") ?? 0,
        lastAt: one(
          "SELECT max(at) FROM (SELECT max(last_at) AS at FROM sessions UNION ALL SELECT max(at) FROM annotations)",
        ),
      };
    });
  } catch (error) {
    if (/^encryption_/.test(getErrorCode(error))) throw error;
    return null;
  }
}

interface Uids {
  sessions: Set<string>;
  notes: Set<string>;
}

/** Sessions and notes by their uids, to compare a copy with what is there. @throws SQLite's errors, as `findDatabaseKey` */
export function readUids(file: string): Uids {
  return withReadonlyDatabase(file, (db) => {
    const all = (sql: string) => new Set(db.prepare(sql).pluck().all() as string[]);
    return {
      sessions: all("SELECT uid FROM sessions WHERE agent <> 'pommel'"),
      notes: all("SELECT uid FROM annotations"),
    };
  });
}

/** As `readUids`, of what was recorded here: a colleague may take back what they shared. */
function readOwnUids(file: string): Uids {
  return withReadonlyDatabase(file, (db) => {
    const all = (table: string, condition = "TRUE") => {
      const columns = db.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table) as string[];
      const own = columns.includes("author") ? "author IS NULL" : "TRUE";
      const sql = `SELECT uid FROM ${table} WHERE ${own} AND ${condition}`;
      return new Set(db.prepare(sql).pluck().all() as string[]);
    };
    return { sessions: all("sessions", "agent <> 'pommel'"), notes: all("annotations") };
  });
}

/**
 * Which of these copies can be deleted: those after the first `keep` with no session and no note that a newer one does not have. One
 * that cannot be read stays, as nobody knows.
 * @param copies newest first
 */
export function listExpendableCopies(copies: readonly string[], keep: number): string[] {
  // To keep all, none needs to be read.
  if (copies.length <= keep) return [];
  const held: Uids = { sessions: new Set(), notes: new Set() };
  return copies.filter((file, i) => {
    try {
      const { sessions, notes } = readOwnUids(file);
      const isHeld =
        [...sessions].every((uid) => held.sessions.has(uid)) &&
        [...notes].every((uid) => held.notes.has(uid));
      if (i >= keep && isHeld) return true;
      for (const uid of sessions) held.sessions.add(uid);
      for (const uid of notes) held.notes.add(uid);
      return false;
    } catch {
      return false;
    }
  });
}

/** What changes without anything new to remember. */
const bookkeeping = findTablesHolding("work", "samples");

/** A hash of everything that a memory remembers: the same for the same rows, wherever they lie in the file. */
export function hashMemoryContent(db: Sqlite): string {
  const hash = createHash("sha256");
  hash.update(String(db.pragma("user_version")));
  db.transaction("deferred", () => {
    for (const table of listOrdinaryTables(db)) {
      if (bookkeeping.has(table)) continue;
      hash.update(`\0${table}\0`);
      for (const row of db.prepare(`SELECT * FROM "${table}"`).iterate()) {
        for (const value of Object.values(row as object)) {
          hash.update(value instanceof Uint8Array ? value : `${value}\0`);
        }
      }
    }
  });
  return hash.digest("hex");
}

/** Tables that hold rows of their own; full-text tables are made from these. */
export function listOrdinaryTables(db: Sqlite): string[] {
  const names = db
    .prepare(
      "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all() as { name: string; sql: string }[];
  const virtual = names.filter(({ sql }) => /^CREATE VIRTUAL/i.test(sql)).map(({ name }) => name);
  return names
    .map(({ name }) => name)
    .filter((name) => !virtual.some((one) => name === one || name.startsWith(`${one}_`)));
}

/**
 * For a memory that is missing or empty: the error where backups show that there was one, so that no empty one takes its place.
 * Null where there was none, or nothing in it.
 */
export function findLostMemoryError(memoryDb: string): PommelError | null {
  const copies = listAllBackups(memoryDb);
  const newest = copies.find(hasContent);
  if (!newest) return null;
  const isThere = statSync(memoryDb, { throwIfNoEntry: false }) !== undefined;
  const places = [...new Set(copies.map(({ file }) => dirname(file)))].join(" and ");
  const count = copies.length === 1 ? "a backup of it is there" : `${copies.length} backups of it are there`;
  return new PommelError(
    "memory_missing",
    `${memoryDb} is ${isThere ? "empty" : "missing"}, and ${count}, the newest of ${formatBackupDay(newest)}.`,
    `\`pm memory restore\` brings it back. To begin with an empty memory, move the backups out of ${places} first.`,
  );
}

/** One that cannot be read here, damaged or without its key, may hold something. */
function hasContent({ file }: BackupFile): boolean {
  try {
    const content = readBackupContent(file);
    return content === null || content.sessions + content.notes > 0;
  } catch {
    return true;
  }
}

const formatBackupDay = ({ at }: BackupFile) => new Date(at).toISOString().slice(0, 10);
