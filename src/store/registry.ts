import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { locateRegistry } from "../base/home.ts";
import { writeProjectFile } from "./project-file.ts";
import { explain, isDamaged, openRegistryFile, rebuildRegistryFile } from "./registry-file.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";

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
  static open(file = locateRegistry()): Registry {
    const known = open.get(file);
    const inode = statSync(file, { throwIfNoEntry: false })?.ino;
    if (known && known.inode === inode) return new Registry(known.db, file);
    known?.db.close();
    open.delete(file);
    return new Registry(keep(file, openRegistryFile(file)), file);
  }

  /** To look into it: null where there is none yet, as looking makes none, and where it cannot be used. */
  static openIfThere(file = locateRegistry()): Registry | null {
    const isThere = existsSync(file) || existsSync(join(dirname(file), "projects"));
    return isThere ? Registry.openIfAny(file) : null;
  }

  /** To write to it; null where it cannot be used, and everything counts as unknown. */
  static openIfAny(file = locateRegistry()): Registry | null {
    try {
      return Registry.open(file);
    } catch {
      return null;
    }
  }

  /** For a home that is about to be removed. */
  static close(file = locateRegistry()): void {
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
  listRegisteredProjects(): KnownProject[] {
    return this.use((db) =>
      (db.prepare("SELECT * FROM projects ORDER BY last_used_at DESC, id").all() as ProjectRow[]).map(
        toKnownProject,
      ),
    );
  }

  findProjectById(id: string): KnownProject | null {
    return this.use((db) => {
      const row = db.prepare("SELECT * FROM projects WHERE id = ?").get(id) as ProjectRow | undefined;
      return row ? toKnownProject(row) : null;
    });
  }

  /** The last used first. */
  listCheckouts(project?: string): KnownCheckout[] {
    return this.use((db) => {
      const rows =
        project === undefined
          ? db.prepare("SELECT * FROM checkouts ORDER BY last_used_at DESC, root").all()
          : db
              .prepare("SELECT * FROM checkouts WHERE project = ? ORDER BY last_used_at DESC, root")
              .all(project);
      return (rows as CheckoutRow[]).map(toKnownCheckout);
    });
  }

  findCheckoutAt(root: string): KnownCheckout | null {
    return this.use((db) => {
      const row = db.prepare("SELECT * FROM checkouts WHERE root = ?").get(root) as CheckoutRow | undefined;
      return row ? toKnownCheckout(row) : null;
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
    const before = this.findCheckoutAt(checkout.root);
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
    const known = this.findCheckoutAt(root);
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
  runInTransaction<T>(work: () => T): T {
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
      this.db = keep(this.file, rebuildRegistryFile(this.file));
      return work(this.db);
    }
  }

  /** For the day on which the registry is lost. */
  private writeIdentity(id: string): void {
    const project = this.findProjectById(id);
    if (project === null) return;
    const { name, roots, remotes, within, isNamed: named, isOff: off } = project;
    const checkouts = this.listCheckouts(id).map(({ root }) => root);
    writeProjectFile(dirname(this.file), { id, name, roots, remotes, within, named, off, checkouts });
  }
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

function toKnownProject(row: ProjectRow): KnownProject {
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

function toKnownCheckout(row: CheckoutRow): KnownCheckout {
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
