import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { PommelError } from "./errors.ts";

/** The paths of a project, all absolute. */
export interface Project {
  /** The indexed directory; paths in results are relative to it. */
  root: string;
  /** `.pommel/`, mode 0700. */
  stateDir: string;
  configFile: string;
  indexDb: string;
  /** Sessions, notes and checkpoints. A linked worktree shares the main worktree's if that is a project, too. */
  memoryDb: string;
  /** The daemon's pid, port and token (mode 0600); not a lock. */
  daemonFile: string;
  /** Signs the cookies of the local page (mode 0600). */
  pageKeyFile: string;
  /** The index writer's exclusive lock. */
  lockFile: string;
  /** Hooks' payloads. */
  spoolDir: string;
  logDir: string;
  /** Who asked what. */
  auditDir: string;
}

/** Held by whoever writes the audit log. */
export const auditLock = ({ auditDir }: Project): string => join(auditDir, "lock");

export const stateDirName = ".pommel";

/** The project whose root is `root`, initialised or not. */
export function projectAt(root: string): Project {
  const stateDir = join(root, stateDirName);
  return {
    root,
    stateDir,
    configFile: join(stateDir, "config.toml"),
    indexDb: join(stateDir, "index.db"),
    memoryDb: join(mainWorktreeOf(root) ?? root, stateDirName, "memory.db"),
    daemonFile: join(stateDir, "daemon.json"),
    pageKeyFile: join(stateDir, "page-key"),
    lockFile: join(stateDir, "writer.lock"),
    spoolDir: join(stateDir, "spool"),
    logDir: join(stateDir, "log"),
    auditDir: join(stateDir, "audit"),
  };
}

/** The main worktree of a linked one, if it is a Pommel project; null for everything else. */
function mainWorktreeOf(root: string): string | null {
  const main = mainOf(root);
  return main !== null && isProject(main) ? main : null;
}

/**
 * The main worktree of a linked one, else null. Read from git's own files (gitrepository-layout): a linked worktree's
 * `.git` file names its git directory, whose `commondir` names the shared one. Null for bare repositories and
 * submodules.
 */
export function mainOf(root: string): string | null {
  const commonDir = commonDirOf(root);
  return commonDir !== null && basename(commonDir) === ".git" ? dirname(commonDir) : null;
}

/** The git directory that a linked worktree shares, else null. */
function commonDirOf(root: string): string | null {
  const gitFile = join(root, ".git");
  try {
    if (!statSync(gitFile, { throwIfNoEntry: false })?.isFile()) return null;
    const [, gitDir] = /^gitdir: (.+)$/m.exec(readFileSync(gitFile, "utf8")) ?? [];
    if (gitDir === undefined) return null;
    const ofWorktree = resolve(root, gitDir);
    return resolve(ofWorktree, readFileSync(join(ofWorktree, "commondir"), "utf8").trim());
  } catch {
    // Missing or unreadable: nothing is shared.
    return null;
  }
}

const marker = join(stateDirName, "config.toml");

function isProject(root: string): boolean {
  return existsSync(join(root, marker)) && foreignPart(root) === null;
}

/**
 * What makes the `.pommel/` in `root` somebody else's, relative to `root`; null: it is this user's. A repository may
 * come with links in it, through which Pommel would write to other files, and a directory for all (`/tmp`) with another
 * user's, who would read what is written there.
 */
function foreignPart(root: string): string | null {
  const stateDir = join(root, stateDirName);
  const stat = lstatSync(stateDir, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (stat.isSymbolicLink() || !isTrusted(stat.uid, root)) return stateDirName;
  for (const dir of ["", "audit", "log", "spool"]) {
    const link = linkIn(join(stateDir, dir));
    if (link !== null) return join(stateDirName, dir, link);
  }
  return null;
}

/** Root may work in everybody's directories, as containers do, but not in one that others made in a directory for all. */
function isTrusted(owner: number, root: string): boolean {
  const us = process.getuid?.() ?? owner;
  return owner === us || owner === 0 || (us === 0 && statSync(root).uid === owner);
}

function linkIn(dir: string): string | null {
  try {
    const entries = readdirSync(dir, { withFileTypes: true });
    return entries.find((entry) => entry.isSymbolicLink())?.name ?? null;
  } catch {
    // Not there, no directory, or unreadable: whoever needs it says so.
    return null;
  }
}

/** @throws PommelError `forbidden` when the `.pommel/` in `root` is not this user's (`foreignPart`) */
export function refuseForeign(root: string): void {
  const part = foreignPart(root);
  if (part === null) return;
  throw new PommelError(
    "forbidden",
    `${join(root, part)} is a symbolic link or belongs to another user: Pommel writes nothing there.`,
    `Look at it, and remove it if you do not need it. Pommel's own is made by \`pm init\`.`,
  );
}

/**
 * The project around `dir`: the nearest upwards, else the one at the same path of the main worktree. Null when none is
 * found, or `dir` no longer exists.
 */
export function projectAround(dir: string): Project | null {
  try {
    const root = findUpwards(dir, marker);
    if (root !== null) return isProject(root) ? projectAt(root) : null;
    const top = findUpwards(dir, ".git");
    const main = top === null ? null : mainOf(top);
    if (top === null || main === null) return null;
    const inMain = resolve(main, relative(top, resolve(dir)));
    for (let at = inMain; isInside(at, main); at = dirname(at)) if (isProject(at)) return projectAt(at);
    return null;
  } catch {
    // The working directory no longer exists.
    return null;
  }
}

/**
 * The project with its root moved to the linked worktree around `dir`, for access to that worktree's files and history.
 * Index, memory and daemon stay the project's. The project itself if `dir` is in no linked worktree of it.
 */
export function inWorktreeOf(project: Project, dir: string): Project {
  const top = findUpwards(dir, ".git");
  if (top === null || isInside(project.root, realpathSync(top))) return project;
  const main = mainOf(top);
  if (main === null || !isInside(project.root, realpathSync(main))) return project;
  return { ...project, root: join(realpathSync(top), relative(realpathSync(main), project.root)) };
}

/** Where `dir` is in the project or the linked worktree around it: from the root, with `/`; "" for the root or outside. */
export function placeInProject(project: Project, dir: string): string {
  const place = relative(inWorktreeOf(project, dir).root, dir);
  return place === ".." || place.startsWith(`..${sep}`) || isAbsolute(place)
    ? ""
    : place.split(sep).join("/");
}

/** Whether an absolute path is a directory or lies in it. */
export function isInside(path: string, dir: string): boolean {
  return path === dir || path.startsWith(dir.endsWith(sep) ? dir : dir + sep);
}

/**
 * The project of a commit made in `dir`: at `within` of the working tree, or of its main worktree; never a project
 * around the repository.
 */
export function gitProjectOf(dir: string, within = "."): Project | null {
  const top = findUpwards(dir, ".git");
  if (top === null) return null;
  const main = mainOf(top);
  for (const worktree of main === null ? [top] : [top, main]) {
    const root = join(worktree, within);
    if (isProject(root)) return projectAt(root);
  }
  return null;
}

/** The nearest directory from `from` upwards that contains `marker`, or null. */
export function findUpwards(from: string, marker: string): string | null {
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    if (existsSync(join(dir, marker))) return dir;
    if (dirname(dir) === dir) return null;
  }
}

/**
 * The project around `cwd`: see `projectAround`.
 * @throws PommelError `not_initialised`
 */
export function findProject(cwd: string = process.cwd()): Project {
  const project = projectAround(cwd);
  if (project === null) {
    const root = findUpwards(cwd, marker);
    if (root !== null) refuseForeign(root);
    const sibling = siblingProject(cwd);
    throw new PommelError(
      "not_initialised",
      `No Pommel project in ${cwd} or any directory above it.`,
      sibling === null
        ? "Run `pm init --start` in the directory you want to search."
        : `Run \`pm init --start\` here: another worktree of this repository is a project, ${sibling}, and a bare repository has none to share.`,
    );
  }
  return projectAt(realpathSync(project.root));
}

/** Another worktree of the repository that is a project, or null. */
function siblingProject(dir: string): string | null {
  try {
    const top = findUpwards(dir, ".git");
    const commonDir = top === null ? null : commonDirOf(top);
    if (commonDir === null) return null;
    const roots = readdirSync(join(commonDir, "worktrees")).map((name) =>
      dirname(
        resolve(
          commonDir,
          "worktrees",
          name,
          readFileSync(join(commonDir, "worktrees", name, "gitdir"), "utf8").trim(),
        ),
      ),
    );
    return roots.find(isProject) ?? null;
  } catch {
    // No linked worktrees, or unreadable.
    return null;
  }
}

/** The project around `cwd`, or null for commands that also work with the user's settings alone. */
export function findProjectIfAny(cwd: string = process.cwd()): Project | null {
  try {
    return findProject(cwd);
  } catch (error) {
    if (error instanceof PommelError && error.code === "not_initialised") return null;
    throw error;
  }
}

/** The root `pm init` chooses in `cwd`: the top of the git working tree, or `cwd` itself without git. */
export function rootForInit(cwd: string = process.cwd()): string {
  return realpathSync(findUpwards(cwd, ".git") ?? cwd);
}

/** Loaded on demand: `node:os` takes a millisecond of every hook. */
const homedir = (): string => process.getBuiltinModule("node:os").homedir();

/** `~/.config/pommel`, honouring XDG_CONFIG_HOME. */
export function globalConfigDir(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "pommel");
}

/** `~/.cache/pommel`, honouring XDG_CACHE_HOME: reproducible data. */
export function globalCacheDir(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "pommel");
}

/** `~/.local/share/pommel`, honouring XDG_DATA_HOME: the user's data across projects. */
export function globalDataDir(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "pommel");
}
