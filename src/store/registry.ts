import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../project/errors.ts";
import { globalDataDir } from "../project/paths.ts";
import { createPrivately } from "./sqlite/database.ts";
import { Sqlite } from "./sqlite/sqlite.ts";

/**
 * `registry.db`: the projects that this user has, for what goes across all of them. Only a list of places: it can be lost
 * at any time, and each project is in it again as soon as it is used. So its faults fail no command: a damaged one is
 * created again, and one that cannot be opened counts as empty.
 */

export interface KnownProject {
  /** Absolute. */
  root: string;
  /** The last part of its path. */
  name: string;
  /** Of the remote that is called origin, without user and password; null where there is none. */
  remote: string | null;
  /** Absolute; the same for the worktrees of a repository. */
  memoryDb: string;
  /** Milliseconds since the epoch. */
  firstUsedAt: number;
  lastUsedAt: number;
}

/** A command that is about something else waits no longer for it. Milliseconds. */
const timeoutMs = 250;

/** The format of this version; a file of another one is left alone. */
const version = 1;

const schema = `
  CREATE TABLE projects (
    root          TEXT PRIMARY KEY,
    name          TEXT NOT NULL,
    remote        TEXT,
    memory_db     TEXT NOT NULL,
    first_used_at INTEGER NOT NULL,
    last_used_at  INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

export function registryFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(globalDataDir(env), "registry.db");
}

/**
 * Adds a project, or notes that it is used.
 * @returns false when the registry cannot be written
 */
export function registerProject(
  project: Omit<KnownProject, "firstUsedAt" | "lastUsedAt">,
  { now = Date.now(), file = registryFile() } = {},
): boolean {
  const done = withRegistry(file, (db) => {
    db.prepare(
      `INSERT INTO projects (root, name, remote, memory_db, first_used_at, last_used_at)
       VALUES (@root, @name, @remote, @memoryDb, @now, @now)
       ON CONFLICT (root) DO UPDATE SET name = @name, remote = @remote, memory_db = @memoryDb,
         last_used_at = max(last_used_at, @now)`,
    ).run({ ...project, now });
    return true;
  });
  return done ?? false;
}

/** Every project that is known, the one that was used last first; null when the list cannot be read. */
export function registeredProjects(file = registryFile()): KnownProject[] | null {
  return withRegistry(
    file,
    (db) =>
      db
        .prepare(
          `SELECT root, name, remote, memory_db AS memoryDb, first_used_at AS firstUsedAt,
             last_used_at AS lastUsedAt
           FROM projects ORDER BY last_used_at DESC, root`,
        )
        .all() as KnownProject[],
  );
}

/**
 * Takes projects off the list; nothing of their own is touched.
 * @returns how many were on it; null when the registry cannot be written
 */
export function unregisterProjects(roots: readonly string[], file = registryFile()): number | null {
  return withRegistry(file, (db) => {
    const remove = db.prepare("DELETE FROM projects WHERE root = ?");
    return db.transaction("immediate", () => roots.reduce((sum, root) => sum + remove.run(root).changes, 0));
  });
}

/** @returns null when it cannot be used: locked by another process, of a newer Pommel, on a disk that is full ... */
function withRegistry<T>(file: string, use: (db: Sqlite) => T): T | null {
  try {
    return openAndUse(file, use);
  } catch (error) {
    if (!isDamaged(error)) return null;
  }
  try {
    for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(file + end, { force: true });
    return openAndUse(file, use);
  } catch {
    return null;
  }
}

function openAndUse<T>(file: string, use: (db: Sqlite) => T): T {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  createPrivately(file);
  const db = new Sqlite(file, { mode: "create", timeoutMs: timeoutMs });
  try {
    const versionOf = () => db.pragma("user_version") as number;
    if (versionOf() === 0) {
      db.exec("PRAGMA journal_mode = WAL");
      db.transaction("immediate", () => {
        // Another process may have been first.
        if (versionOf() !== 0) return;
        db.exec(schema);
        db.exec(`PRAGMA user_version = ${version}`);
      });
    }
    if (versionOf() !== version) throw new Error(`${file} is of another version`);
    return use(db);
  } finally {
    db.close();
  }
}

/** Also one that says it is ours but has other tables. */
function isDamaged(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB" || code === "SQLITE_ERROR";
}
