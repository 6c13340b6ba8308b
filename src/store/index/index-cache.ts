import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { getErrorCode } from "../../base/errors.ts";
import { locateHome } from "../../base/home.ts";
import { dayMs } from "../../base/text/day.ts";
import { findDatabaseKey } from "../encryption/keys.ts";
import { Connection } from "../sqlite/connection.ts";
import { isDamaged, openDatabase } from "../sqlite/database.ts";
import type { Schema } from "../sqlite/schema.ts";

/**
 * What was made of files and texts, for all checkouts: docs/decisions/0029-index-cache.md. It can all be made again, so nothing
 * here throws: what cannot be read is missing, what cannot be written is left out.
 */

/** 32 hex digits each. */
export interface CacheKey {
  /** What it was made of, and how, but for the content. */
  place: string;
  /** The content. */
  name: string;
}

interface CacheEntry extends CacheKey {
  data: Uint8Array;
}

/** `index-cache.db`, in the directory of caches. */
const locateCacheFile = (): string => join(locateHome().cacheDir, "index-cache.db");

/** The place that these facts name. */
export const hashPlace = (...facts: readonly (string | number)[]): string =>
  createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 32);

/** What the file takes at most. Bytes. */
const usualMaxBytes = 500_000_000;
/** How full it is after old entries were removed. */
const shareAfterRemoval = 0.9;
/** Entries that are removed together. */
const entriesPerRemoval = 256;
/** Waits for another process's transaction: parsing takes no longer. Milliseconds. */
const busyTimeoutMs = 200;
/** It closes when it was not used for so long. Milliseconds. */
const idleMs = 10_000;
/** After a failure it is left alone for so long. Milliseconds. */
const failurePauseMs = 60_000;

const schema: Schema = {
  first: 1,
  steps: [
    `
  CREATE TABLE entries (
    id    INTEGER PRIMARY KEY,
    place BLOB NOT NULL,
    name  BLOB NOT NULL,
    -- The day, counted from the epoch.
    used  INTEGER NOT NULL,
    data  BLOB NOT NULL,
    UNIQUE (place, name)
  ) STRICT;
  CREATE INDEX entries_by_use ON entries (used);
  `,
  ],
};

interface CacheOptions {
  file?: string;
  maxBytes?: number;
  /** The day, counted from the epoch. */
  today?: () => number;
}

export class IndexCache {
  private readonly file: string;
  private readonly maxBytes: number;
  private readonly today: () => number;
  private db: CacheDatabase | null = null;
  private timer: NodeJS.Timeout | undefined;
  private pausedUntil = 0;
  /** Rows that were read, and not on this day before. */
  private readonly read = new Set<number>();

  constructor({
    file = locateCacheFile(),
    maxBytes = usualMaxBytes,
    today = countDaysSinceEpoch,
  }: CacheOptions = {}) {
    this.file = file;
    this.maxBytes = maxBytes;
    this.today = today;
  }

  /** The names of what is at a place, those added last first. */
  listNamesAt(place: string): string[] {
    return this.tryWithDatabase([], (db) => db.listNamesAt(place));
  }

  /** What is at a place under these names; those that are not there are missing. */
  get(place: string, names: Iterable<string>): Map<string, Uint8Array> {
    return this.tryWithDatabase(new Map(), (db) => {
      const today = this.today();
      const found = new Map<string, Uint8Array>();
      db.readInSnapshot(() => {
        for (const name of names) {
          const row = db.findEntry(place, name);
          if (row === undefined) continue;
          found.set(name, row.data);
          if (row.used < today) this.read.add(row.id);
        }
      });
      return found;
    });
  }

  /** Adds entries, or replaces them. Where there is no room, those go that were not used for longest, but none of today. */
  add(entries: readonly CacheEntry[]): void {
    this.tryWithDatabase(undefined, (db) => {
      const today = this.today();
      db.runInTransaction(() => {
        db.use(this.read, today);
        const isFull =
          db.countBytes() > this.maxBytes && !db.makeRoom(this.maxBytes * shareAfterRemoval, today);
        if (!isFull) for (const entry of entries) db.add(entry, today);
      });
      this.read.clear();
    });
  }

  /** It opens again when it is used again. */
  close(): void {
    if (this.read.size > 0) this.add([]);
    this.end();
  }

  private end(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.read.clear();
    const { db } = this;
    this.db = null;
    try {
      db?.close();
    } catch {
      // What is in the log is there the next time.
    }
  }

  private tryWithDatabase<T>(otherwise: T, work: (db: CacheDatabase) => T): T {
    if (Date.now() < this.pausedUntil) return otherwise;
    try {
      this.db ??= CacheDatabase.open(this.file);
      this.timer ??= setTimeout(() => this.close(), idleMs).unref();
      this.timer.refresh();
      return work(this.db);
    } catch (error) {
      // Another process is writing.
      if (getErrorCode(error) === "busy") return otherwise;
      this.end();
      this.pausedUntil = Date.now() + failurePauseMs;
      if (isDamaged(error) || isOfFullDisk(error)) removeIndexCache(this.file);
      return otherwise;
    }
  }
}

const countDaysSinceEpoch = () => Math.floor(Date.now() / dayMs);

const isOfFullDisk = (error: unknown) => ["disk_full", "SQLITE_FULL"].includes(getErrorCode(error));

/** Deletes it with all that it holds. What has it open goes on with what is deleted. */
export function removeIndexCache(file = locateCacheFile()): void {
  for (const end of ["", "-wal", "-shm"]) {
    try {
      rmSync(file + end, { recursive: true, force: true });
    } catch {
      // Windows deletes no open file.
    }
  }
}

interface EntryRow {
  id: number;
  used: number;
  data: Uint8Array;
}

const decodeHex = (digits: string) => Buffer.from(digits, "hex");

class CacheDatabase extends Connection {
  static open(file: string): CacheDatabase {
    const opened = CacheDatabase.openAsItIs(file);
    // It was made before the home was encrypted, and must not stay.
    if (opened.isEncrypted || findDatabaseKey(file) === null) return opened;
    opened.close();
    removeIndexCache(file);
    return CacheDatabase.openAsItIs(file);
  }

  private static openAsItIs(file: string): CacheDatabase {
    const db = openDatabase(file, schema, { readonly: false });
    db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}; PRAGMA cache_size = -2000`);
    return new CacheDatabase(file, db);
  }

  listNamesAt(place: string): string[] {
    return this.readColumn<Uint8Array>(
      "SELECT name FROM entries WHERE place = ? ORDER BY id DESC",
      decodeHex(place),
    ).map((name) => Buffer.from(name).toString("hex"));
  }

  findEntry(place: string, name: string): EntryRow | undefined {
    const row = this.prepare("SELECT id, used, data FROM entries WHERE place = ? AND name = ?");
    return row.get(decodeHex(place), decodeHex(name)) as EntryRow | undefined;
  }

  add({ place, name, data }: CacheEntry, day: number): void {
    this.prepare(
      `INSERT INTO entries (place, name, used, data) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET used = excluded.used, data = excluded.data`,
    ).run(decodeHex(place), decodeHex(name), day, data);
  }

  use(rows: ReadonlySet<number>, day: number): void {
    if (rows.size === 0) return;
    this.prepare("UPDATE entries SET used = ? WHERE id IN (SELECT value FROM json_each(?))").run(
      day,
      JSON.stringify([...rows]),
    );
  }

  /** What its entries take. The file may be larger: room that is free is used again. */
  countBytes(): number {
    const [pages, free, size] = ["page_count", "freelist_count", "page_size"].map(
      (name) => this.db.pragma(name) as number,
    );
    return (pages! - free!) * size!;
  }

  /** @returns whether there is room: entries of this day stay, as a project larger than all of it would push out itself */
  makeRoom(bytes: number, day: number): boolean {
    const remove = this.prepare(
      "DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE used < ? ORDER BY used, id LIMIT ?)",
    );
    while (this.countBytes() > bytes) if (remove.run(day, entriesPerRemoval).changes === 0) return false;
    return true;
  }
}
