import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { codeOf, messageOf, PommelError } from "../project/errors.ts";
import { writeJson } from "../project/files/replace-file.ts";
import { registryFile } from "../project/home.ts";
import { createPrivately, explain as explainBusy } from "./sqlite/database.ts";
import { Sqlite } from "./sqlite/sqlite.ts";

/**
 * `registry.db`: the projects of this person, and the directories that hold them. Each project also says who it is in
 * `projects/<id>/project.json`, from which a lost or damaged registry is made again.
 */

/** What tells one repository from another. */
interface ProjectIdentity {
  /** Hashes of its root commits; empty where it has none, or they are not known (yet). */
  roots: string[];
  /** Addresses of its remotes, without scheme, credentials and `.git`: `github.com/pommel-dev/pommel`. */
  remotes: string[];
  /** For a project that is a subdirectory of its repository: which one, with slashes; else "". */
  within: string;
}

export interface KnownProject extends ProjectIdentity {
  id: string;
  name: string;
  /** Whether `pm init` named it: it is recorded even where not all projects are. */
  isNamed: boolean;
  /** Whether `pm disable` turned recording off. */
  isOff: boolean;
  /** Milliseconds since the epoch. */
  createdAt: number;
  lastUsedAt: number;
}

export interface KnownCheckout {
  /** Absolute, without links. */
  root: string;
  project: string;
  /** Names the directory itself, wherever it is moved: see `fileId`. */
  rootId: string | null;
  /** The same of the git directory that its worktrees share; null without git. */
  gitId: string | null;
  /** What its user is to be told, once; null: nothing. */
  notice: string | null;
  lastUsedAt: number;
}

/** A command that is about something else waits no longer for it; on a busy machine a change takes more than a second. Milliseconds. */
const timeoutMs = 3000;

const version = 2;

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

const identityFile = z.object({
  id: z.string(),
  name: z.string(),
  roots: z.array(z.string()),
  remotes: z.array(z.string()),
  within: z.string(),
  named: z.boolean(),
  off: z.boolean(),
  checkouts: z.array(z.string()),
});

/** Open registries of this process, by file. */
const open = new Map<string, { db: Sqlite; inode: number }>();

/**
 * A damaged one is made again from the projects beside it, whenever that shows.
 * @throws PommelError `unreadable`, `disk_full`: nothing is remembered, and the message says why
 */
export class Registry {
  private constructor(
    private db: Sqlite,
    private readonly file: string,
  ) {}

  /**
   * The registry of this person; the connection is kept.
   * @throws PommelError `unreadable`, `disk_full`, `index_too_new`
   */
  static open(file = registryFile()): Registry {
    const known = open.get(file);
    const inode = statSync(file, { throwIfNoEntry: false })?.ino;
    if (known && known.inode === inode) return new Registry(known.db, file);
    known?.db.close();
    open.delete(file);
    return new Registry(keep(file, openOrRebuild(file)), file);
  }

  /** To look into it: null where there is none yet, as looking makes none, and where it cannot be used. */
  static openIfThere(file = registryFile()): Registry | null {
    const isThere = existsSync(file) || existsSync(join(dirname(file), "projects"));
    return isThere ? Registry.openIfAny(file) : null;
  }

  /** To write to it; null where it cannot be used, and everything counts as unknown. */
  static openIfAny(file = registryFile()): Registry | null {
    try {
      return Registry.open(file);
    } catch {
      return null;
    }
  }

  /** For a home that is about to be removed. */
  static close(file = registryFile()): void {
    open.get(file)?.db.close();
    open.delete(file);
  }

  /** Reads all of it, so that what is damaged is made again. @returns whether it was */
  check(): boolean {
    const before = this.db;
    this.use((db) => {
      const verdict = String(db.pragma("quick_check(1)"));
      if (verdict !== "ok") throw Object.assign(new Error(verdict), { code: "SQLITE_CORRUPT" });
    });
    return this.db !== before;
  }

  /** The last used first. */
  projects(): KnownProject[] {
    return this.use((db) =>
      (db.prepare("SELECT * FROM projects ORDER BY last_used_at DESC, id").all() as ProjectRow[]).map(
        projectIn,
      ),
    );
  }

  project(id: string): KnownProject | null {
    return this.use((db) => {
      const row = db.prepare("SELECT * FROM projects WHERE id = ?").get(id) as ProjectRow | undefined;
      return row ? projectIn(row) : null;
    });
  }

  /** The last used first. */
  checkouts(project?: string): KnownCheckout[] {
    return this.use((db) => {
      const rows =
        project === undefined
          ? db.prepare("SELECT * FROM checkouts ORDER BY last_used_at DESC, root").all()
          : db
              .prepare("SELECT * FROM checkouts WHERE project = ? ORDER BY last_used_at DESC, root")
              .all(project);
      return (rows as CheckoutRow[]).map(checkoutIn);
    });
  }

  checkout(root: string): KnownCheckout | null {
    return this.use((db) => {
      const row = db.prepare("SELECT * FROM checkouts WHERE root = ?").get(root) as CheckoutRow | undefined;
      return row ? checkoutIn(row) : null;
    });
  }

  /** Directories that kept their memory in their own `.pommel/`, as Pommel did before it had a home. */
  legacyRoots(): string[] {
    return this.use((db) => {
      const isThere = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'legacy_projects'").get();
      return isThere === undefined
        ? []
        : (db.prepare("SELECT root FROM legacy_projects").pluck().all() as string[]);
    });
  }

  /** Adds a project, or replaces what is known of it. */
  saveProject(project: KnownProject): void {
    this.use((db) =>
      db
        .prepare(
          `INSERT INTO projects VALUES (@id, @name, @roots, @remotes, @within, @isNamed, @isOff, @createdAt, @lastUsedAt)
           ON CONFLICT (id) DO UPDATE SET name = @name, roots = @roots, remotes = @remotes, within = @within,
             is_named = @isNamed, is_off = @isOff, last_used_at = max(last_used_at, @lastUsedAt)`,
        )
        .run({
          ...project,
          roots: JSON.stringify(project.roots),
          remotes: JSON.stringify(project.remotes),
          isNamed: Number(project.isNamed),
          isOff: Number(project.isOff),
        }),
    );
    this.writeIdentity(project.id);
  }

  /** Adds a checkout, or replaces what is known of it. */
  saveCheckout(checkout: KnownCheckout): void {
    const before = this.checkout(checkout.root);
    this.use((db) =>
      db
        .prepare(
          `INSERT INTO checkouts VALUES (@root, @project, @rootId, @gitId, @notice, @lastUsedAt)
           ON CONFLICT (root) DO UPDATE SET project = @project, root_id = @rootId, git_id = @gitId,
             notice = @notice, last_used_at = @lastUsedAt`,
        )
        .run({ ...checkout }),
    );
    if (before?.project !== checkout.project) this.writeIdentity(checkout.project);
    if (before && before.project !== checkout.project) this.writeIdentity(before.project);
  }

  removeCheckout(root: string): void {
    const known = this.checkout(root);
    if (known === null) return;
    this.use((db) => db.prepare("DELETE FROM checkouts WHERE root = ?").run(root));
    this.writeIdentity(known.project);
  }

  /** Takes a project off the list with its checkouts; its files are the caller's to remove. */
  removeProject(id: string): void {
    this.use((db) =>
      db.transaction("immediate", () => {
        db.prepare("DELETE FROM checkouts WHERE project = ?").run(id);
        db.prepare("DELETE FROM projects WHERE id = ?").run(id);
      }),
    );
  }

  /** Several changes as one. */
  inTransaction<T>(work: () => T): T {
    return this.use((db) => db.transaction("immediate", work));
  }

  private use<T>(work: (db: Sqlite) => T): T {
    try {
      return work(this.db);
    } catch (error) {
      // All of a transaction is to be done again.
      if (this.db.inTransaction) throw error;
      if (!isDamaged(error)) throw explain(error, this.file);
      this.db.close();
      this.db = keep(this.file, rebuild(this.file));
      return work(this.db);
    }
  }

  /** Best effort: it is there for the day on which the registry is lost. */
  private writeIdentity(id: string): void {
    const project = this.project(id);
    if (project === null) return;
    const { name, roots, remotes, within, isNamed: named, isOff: off } = project;
    const checkouts = this.checkouts(id).map(({ root }) => root);
    const dir = join(dirname(this.file), "projects", id);
    try {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      const content: z.infer<typeof identityFile> = {
        id,
        name,
        roots,
        remotes,
        within,
        named,
        off,
        checkouts,
      };
      writeJson(join(dir, "project.json"), content);
    } catch {
      // The registry itself has it.
    }
  }
}

/** Names a file or directory as long as it exists, also where it is moved; null where there is none. */
export function fileId(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  // Numbers of inodes are used again at once; the time of birth tells one from the next.
  return stat ? `${stat.dev}:${stat.ino}:${Math.round(stat.birthtimeMs)}` : null;
}

interface ProjectRow {
  id: string;
  name: string;
  roots: string;
  remotes: string;
  within: string;
  is_named: number;
  is_off: number;
  created_at: number;
  last_used_at: number;
}

function projectIn(row: ProjectRow): KnownProject {
  return {
    id: row.id,
    name: row.name,
    roots: JSON.parse(row.roots) as string[],
    remotes: JSON.parse(row.remotes) as string[],
    within: row.within,
    isNamed: row.is_named === 1,
    isOff: row.is_off === 1,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}

interface CheckoutRow {
  root: string;
  project: string;
  root_id: string | null;
  git_id: string | null;
  notice: string | null;
  last_used_at: number;
}

function checkoutIn(row: CheckoutRow): KnownCheckout {
  return {
    root: row.root,
    project: row.project,
    rootId: row.root_id,
    gitId: row.git_id,
    notice: row.notice,
    lastUsedAt: row.last_used_at,
  };
}

/** For the next who opens it. */
function keep(file: string, db: Sqlite): Sqlite {
  open.set(file, { db, inode: statSync(file).ino });
  return db;
}

function openOrRebuild(file: string): Sqlite {
  try {
    const db = openFile(file);
    if (db.prepare("SELECT 1 FROM projects").get() === undefined) restoreProjects(db, dirname(file));
    return db;
  } catch (error) {
    if (!isDamaged(error)) throw explain(error, file);
    return rebuild(file);
  }
}

/** Moves a damaged one aside. @throws PommelError `unreadable`, `disk_full` */
function rebuild(file: string): Sqlite {
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
    const versionOf = () => db.pragma("user_version") as number;
    if (versionOf() < version) {
      db.exec("PRAGMA journal_mode = WAL");
      db.transaction("immediate", () => {
        // Another process may have been first.
        const from = versionOf();
        if (from === version) return;
        // A list of directories that kept their memory within; `legacyRoots` reads it.
        if (from === 1) db.exec("ALTER TABLE projects RENAME TO legacy_projects");
        db.exec(schema);
        db.exec(`PRAGMA user_version = ${version}`);
      });
    }
    if (versionOf() !== version) {
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

/** What the projects beside the registry say of themselves. */
function restoreProjects(db: Sqlite, dataDir: string): void {
  const dir = join(dataDir, "projects");
  if (!existsSync(dir)) return;
  const now = Date.now();
  for (const id of readdirSync(dir)) {
    try {
      const said = z.parse(identityFile, JSON.parse(readFileSync(join(dir, id, "project.json"), "utf8")));
      if (said.id !== id) continue;
      db.prepare("INSERT OR IGNORE INTO projects VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)").run(
        id,
        said.name,
        JSON.stringify(said.roots),
        JSON.stringify(said.remotes),
        said.within,
        Number(said.named),
        Number(said.off),
        now,
        now,
      );
      for (const root of said.checkouts) {
        db.prepare("INSERT OR IGNORE INTO checkouts VALUES (?, ?, ?, NULL, NULL, ?)").run(
          root,
          id,
          fileId(root),
          now,
        );
      }
    } catch {
      // Not a project's directory.
    }
  }
}

/** Also one that says it is ours but has other tables, or fields that are not what was written. */
const isDamaged = (error: unknown): boolean =>
  error instanceof SyntaxError || /^SQLITE_(?:CORRUPT|NOTADB|ERROR|IOERR_SHORT_READ)$/.test(codeOf(error));

function explain(error: unknown, file: string): unknown {
  if (error instanceof PommelError) return error;
  const code = codeOf(error);
  if (code.startsWith("SQLITE_BUSY")) return explainBusy(error, file);
  if (code === "ENOSPC" || code === "SQLITE_FULL")
    return new PommelError("disk_full", `The disk that holds ${dirname(file)} is full.`, "Free some space.", {
      cause: error,
    });
  return new PommelError(
    "unreadable",
    `Cannot use ${file}: ${messageOf(error)}.`,
    "Check the directory's owner and permissions, or set POMMEL_HOME to another one.",
    { cause: error },
  );
}
