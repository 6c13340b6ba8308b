import { statSync } from "node:fs";
import type { PommelError } from "../../base/errors.ts";
import { Connection } from "../sqlite/connection.ts";
import {
  busyTimeoutMs,
  checkDatabase,
  type DatabaseMessages,
  findNewerSchemaError,
  maxBackups,
  openDatabase,
  type StoreCheck,
} from "../sqlite/database.ts";
import { rollBackJournal } from "../sqlite/open-to-read.ts";
import type { Sqlite } from "../sqlite/sqlite.ts";
import { findLostMemoryError, listExpendableCopies } from "./backups/backup-content.ts";
import { nameMemory } from "./backups/whose-memory.ts";
import { hasUnheard, hideUnheard } from "./heard.ts";
import { memorySchema } from "./schema.ts";

export const memoryWords: DatabaseMessages = {
  absent: () => [
    "no_memory",
    "No sessions recorded yet.",
    "`pm setup` records sessions from now on, and imports past ones.",
  ],
  corrupt: {
    code: "memory_corrupt",
    hint: () =>
      "Nothing was changed. `pm doctor --repair` saves what can be read, `pm memory restore` goes back to a backup.",
  },
  tooNew: "Update Pommel. Do not delete the file: its data cannot be rebuilt.",
  tooOld: "Run `pm daemon start`.",
  unreleased: (file) => `\`pm memory restore ${file}\` makes a memory of this version from it.`,
  full: "Free some space; pending work then continues, and stored data is safe.",
  lost: findLostMemoryError,
};

/** SQLite's default: pages that its log may have before they are moved into the database. */
const usualLogPages = 1000;

/**
 * The memory of sessions: messages and actions, their search index, notes, summaries and the job queue, in
 * `memory.db`. Its repositories are functions in the files beside this one. Precious: never deleted or rebuilt, and
 * copied to `memory.db.before-<schema version>` before its schema changes. Several processes may write to it.
 */
export class Memory extends Connection {
  /**
   * @param isCopy of a memory that stays: a change of its schema needs no other
   * @throws PommelError `no_memory`, `schema_outdated` (both readonly; the latter also from before the first release), `memory_missing`, `memory_corrupt`, `index_too_new`,
   *   `disk_full`, `unreadable`
   */
  static open(file: string, how: { readonly: boolean; isCopy?: boolean; background?: boolean }): Memory {
    const db = openDatabase(file, memorySchema, {
      ...how,
      words: memoryWords,
      precious: true,
      expendable: (copies) => listExpendableCopies([file, ...copies], 1 + maxBackups),
    });
    const memory = new Memory(file, db, how.readonly);
    if (!how.readonly) nameMemory(memory);
    return memory;
  }

  private constructor(
    file: string,
    db: Sqlite,
    private readonly isReadonly: boolean,
    /** Of one that hides what its agents do not get: the whole one. */
    readonly whole: Memory | null = null,
  ) {
    super(file, db);
  }

  /** By the signers that are heard. */
  private readonly parts = new Map<string, Memory>();

  /** The memory without the words of others than these signers; this one where it holds no other. */
  limitToSigners(signers: readonly string[]): Memory {
    if (!hasUnheard(this, signers)) return this;
    const key = JSON.stringify(signers);
    const known = this.parts.get(key);
    if (known) return known;
    const { db } = Memory.open(this.file, { readonly: this.isReadonly });
    const part = new Memory(this.file, db, this.isReadonly, this);
    this.parts.set(key, part);
    hideUnheard(part, signers);
    return part;
  }

  override close(): void {
    for (const part of this.parts.values()) part.close();
    super.close();
  }

  /**
   * A newer Pommel may migrate the memory while this process has it open; nothing that an older one knows is written then.
   * @throws PommelError `index_too_new`
   */
  override runInTransaction<T>(work: () => T): T {
    if (this.db.inTransaction) return super.runInTransaction(work);
    return super.runInTransaction(() => {
      const newer = this.findOutgrownError();
      if (newer) throw newer;
      return work();
    });
  }

  /** The error `index_too_new` when a newer Pommel has migrated it since it was opened; null: it has not, or that cannot be read. */
  findOutgrownError(): PommelError | null {
    try {
      return findNewerSchemaError(this.db, this.file, memorySchema, memoryWords);
    } catch {
      return null;
    }
  }

  /**
   * Runs a change that waits for other writers no longer than so. Milliseconds.
   * @throws PommelError `busy` where one is still at it
   */
  waitAtMost<T>(ms: number, change: () => T): T {
    this.exec(`PRAGMA busy_timeout = ${ms}`);
    try {
      return change();
    } finally {
      this.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    }
  }

  /** Whether others, who write much, move the log into the database: whoever does so stands still meanwhile. */
  leaveLogToOthers(isLeft: boolean): void {
    this.exec(`PRAGMA wal_autocheckpoint = ${isLeft ? 0 : usualLogPages}`);
  }

  /** Gives at most so many free pages (default: all) back to the file system. */
  vacuum(pages?: number): void {
    this.runChange(() => {
      // Each page is a step of the statement, which only exec takes to its end.
      this.exec(pages === undefined ? "PRAGMA incremental_vacuum" : `PRAGMA incremental_vacuum(${pages})`);
    });
  }

  /** Pages that hold nothing, and pages in all. */
  countPages(): { free: number; total: number } {
    const asked = (name: string) => this.db.pragma(name) as number;
    return { free: asked("freelist_count"), total: asked("page_count") };
  }

  /** What the database takes on disk, its log included. Bytes. */
  measureDiskBytes(): number {
    return [this.file, `${this.file}-wal`].reduce(
      (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  }

  /** Moves what of the log nobody reads into the database, as far as no other does. */
  moveLog(): void {
    this.exec("PRAGMA wal_checkpoint(PASSIVE)");
  }

  /**
   * Moves all of the log into the database and empties it.
   * @returns false when another process is reading, and the log could not be emptied
   */
  checkpointLog(): boolean {
    // The first of its columns says whether somebody else was in the way.
    return this.db.pragma("wal_checkpoint(TRUNCATE)") === 0;
  }
}

/** Whether a memory is what commands need it to be. Reads the whole file. */
export function checkMemory(file: string): StoreCheck {
  rollBackJournal(file);
  return checkDatabase(file, memorySchema, findMissingTerms);
}

/** SQLite finds lists of words sound from which rows are gone. */
function findMissingTerms(db: Sqlite): string | null {
  const missing = db
    .prepare("SELECT count(*) FROM chunks WHERE id NOT IN (SELECT rowid FROM chunk_terms)")
    .pluck()
    .get() as number;
  return missing === 0 ? null : `${missing} chunks are missing from its full-text index`;
}
