import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { type Home, listHomeDirectories, locateHome } from "./home.ts";

/**
 * A project as seen from one of its checkouts. The memory is the project's, wherever it is checked out; the code index is
 * the checkout's. All paths are absolute, and all but the root and what the team says lie in the person's home.
 */
export interface Project {
  /** Names the project in the registry, and its directory. */
  id: string;
  /** The checkout: the indexed directory; paths in results are relative to it. */
  root: string;
  /** `.pommel/config.toml` in the checkout: a stranger's word, of which only harmless settings count. */
  teamConfigFile: string;
  dataDir: string;
  /** The person's own settings for this project. */
  configFile: string;
  /** Sessions, notes, commits and attributions. */
  memoryDb: string;
  /** Who asked what. */
  auditDir: string;
  /** What set-up changed in the checkout's files, to undo it. */
  setupDir: string;
  /** Of the checkout. */
  cacheDir: string;
  indexDb: string;
  /** The index writer's exclusive lock. */
  lockFile: string;
}

/** Held by whoever writes the audit log. */
export const locateAuditLock = ({ auditDir }: Pick<Project, "auditDir">): string => join(auditDir, "lock");

/** What a repository may say to Pommel is in here, and nothing else. */
export const teamDirName = ".pommel";

/** The project called `id`, as seen from its checkout at `root`. */
export function makeProject(id: string, root: string, home: Home = locateHome()): Project {
  const dataDir = join(home.dataDir, "projects", id);
  const cacheDir = join(home.cacheDir, "checkouts", makeUniqueName(root));
  return {
    id,
    root,
    teamConfigFile: join(root, teamDirName, "config.toml"),
    dataDir,
    configFile: join(dataDir, "config.toml"),
    memoryDb: join(dataDir, "memory.db"),
    auditDir: join(dataDir, "audit"),
    setupDir: join(dataDir, "checkouts", makeUniqueName(root)),
    cacheDir,
    indexDb: join(cacheDir, "index.db"),
    lockFile: join(cacheDir, "writer.lock"),
  };
}

/** The project that is new at `root`, of which the registry knows nothing. */
export const makeNewProject = (root: string, home: Home = locateHome()): Project =>
  makeProject(makeUniqueName(root), root, home);

/** A name that people recognise and that no other directory has: `pommel-3f9a20c41b7e`. */
export function makeUniqueName(root: string): string {
  const readable = basename(root)
    .replace(/[^\w.-]+/g, "-")
    .replace(/^[.-]+/, "")
    .slice(0, 40);
  // Loaded on demand: hooks, which need no name, have no time for it.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const hash = createHash("sha256").update(root).digest("hex").slice(0, 12);
  return readable === "" ? hash : `${readable}-${hash}`;
}

/**
 * The git directory of the working tree at `top`, read from git's own files (gitrepository-layout): in a linked worktree and
 * in a submodule, `.git` is a file that names it. Null where `.git` is missing or unreadable.
 */
export function readGitDir(top: string): string | null {
  const path = join(top, ".git");
  try {
    if (statSync(path).isDirectory()) return path;
    const [, named] = /^gitdir: (.+)$/m.exec(readFileSync(path, "utf8")) ?? [];
    return named === undefined ? null : resolve(top, named);
  } catch {
    return null;
  }
}

/** The directory that a repository's worktrees share, with objects, refs and configuration. */
export function resolveCommonDirectory(gitDirectory: string): string {
  try {
    return resolve(gitDirectory, readFileSync(join(gitDirectory, "commondir"), "utf8").trim());
  } catch {
    return gitDirectory;
  }
}

/** That of the working tree at `top`, without links. Null where `.git` is missing or unreadable. */
export function findCommonGitDir(top: string): string | null {
  const gitDir = readGitDir(top);
  try {
    return gitDir && toCanonicalPath(resolveCommonDirectory(gitDir));
  } catch {
    return null;
  }
}

/** The main worktree of a linked one. Null for every other directory, and for worktrees of a bare repository. */
export function findMainWorktree(top: string): string | null {
  const commonDir = findCommonGitDir(top);
  if (commonDir === null || basename(commonDir) !== ".git") return null;
  const main = dirname(commonDir);
  return main === toRealPath(top) ? null : main;
}

/**
 * Without links, and in the case that the names have on the disk: where case does not matter (macOS, Windows), one file has
 * many paths, of which the system's own function alone gives one.
 * @throws the file system's error
 */
export const toCanonicalPath = (path: string): string => realpathSync.native(path);

/** As `toCanonicalPath`; the path itself for a directory that no longer exists. */
export function toRealPath(path: string): string {
  try {
    return toCanonicalPath(path);
  } catch {
    return path;
  }
}

/** Where `dir` is in the project: from the root, with `/`; "" for the root or outside. */
export function placeInProject({ root }: Pick<Project, "root">, dir: string): string {
  const place = relative(root, toRealPath(dir));
  return place === ".." || place.startsWith(`..${sep}`) || isAbsolute(place)
    ? ""
    : place.split(sep).join("/");
}

/**
 * The directories of the person's home that lie in a project, relative to its root, with `/`. Nobody reads files there as the
 * project's: besides being none, closing the daemon's lock would release it.
 */
export function listHomeWithin(root: string): string[] {
  const project = { root: toRealPath(root) };
  const places = listHomeDirectories().map((dir) => placeInProject(project, dir));
  return places.filter((place) => place !== "");
}

/** Whether an absolute path is a directory or lies in it. */
export function isInside(path: string, dir: string): boolean {
  return path === dir || path.startsWith(dir.endsWith(sep) ? dir : dir + sep);
}

/** The nearest directory from `from` upwards that contains `marker`, or null. */
export function findUpwards(from: string, marker: string): string | null {
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    if (existsSync(join(dir, marker))) return dir;
    if (dirname(dir) === dir) return null;
  }
}
