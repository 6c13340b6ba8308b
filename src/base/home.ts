import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  type Stats,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { getErrorCode, PommelError } from "./errors.ts";

/**
 * Where Pommel keeps what is a person's: nothing that it trusts lies in a repository. The XDG directories, or all of them
 * below POMMEL_HOME (containers, tests). All 0700, their files 0600.
 */
export interface Home {
  /** The person's settings and scrubbing patterns. */
  configDir: string;
  /** The registry, and each project's memory. Not to be lost. */
  dataDir: string;
  /** Code indexes, models: can be made again. */
  cacheDir: string;
  /** The daemon's record, lock, spool and log. */
  stateDir: string;
}

/** Loaded on demand: `node:os` takes a millisecond of every hook. */
const loadOs = () => process.getBuiltinModule("node:os");

/**
 * @throws PommelError `config_bad_value` for a relative POMMEL_HOME: the home, with what it trusts, would come with whatever
 *   directory one is in; `forbidden` for root in another user's home
 */
export function locateHome(env: NodeJS.ProcessEnv = process.env): Home {
  const home = computeHome(env);
  for (const dir of listHomeDirectories(home)) refuseAnothers(dir);
  return home;
}

/** All that is a person's. */
export const listHomeDirectories = (
  { configDir, dataDir, cacheDir, stateDir }: Home = locateHome(),
): string[] => [configDir, dataDir, cacheDir, stateDir];

function computeHome(env: NodeJS.ProcessEnv): Home {
  const all = env.POMMEL_HOME;
  if (all) {
    if (!isAbsolute(all)) {
      throw new PommelError(
        "config_bad_value",
        `POMMEL_HOME is a relative path: ${JSON.stringify(all)}.`,
        "Set it to an absolute path, or unset it.",
      );
    }
    return {
      configDir: join(all, "config"),
      dataDir: join(all, "data"),
      cacheDir: join(all, "cache"),
      stateDir: join(all, "state"),
    };
  }
  const own = findUserHome(env);
  const place = (chosen: string | undefined, ...usual: string[]) =>
    join(chosen && isAbsolute(chosen) ? chosen : join(own, ...usual), "pommel");
  return {
    configDir: place(env.XDG_CONFIG_HOME, ".config"),
    dataDir: place(env.XDG_DATA_HOME, ".local", "share"),
    cacheDir: place(env.XDG_CACHE_HOME, ".cache"),
    stateDir: place(env.XDG_STATE_HOME, ".local", "state"),
  };
}

/** HOME, unless it is relative. @throws PommelError `config_bad_value` where the system knows no other */
function findUserHome({ HOME }: NodeJS.ProcessEnv): string {
  if (HOME && isAbsolute(HOME)) return HOME;
  if (!HOME) return loadOs().homedir();
  try {
    return loadOs().userInfo().homedir;
  } catch (error) {
    throw new PommelError(
      "config_bad_value",
      `HOME is a relative path: ${JSON.stringify(HOME)}.`,
      "Set it to an absolute path.",
      { cause: error },
    );
  }
}

/** What of the environment does not count, in one line for the person; null: all of it does. */
export function describeIgnoredPlaces(env: NodeJS.ProcessEnv = process.env): string | null {
  if (env.POMMEL_HOME) return null;
  const ignored = ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"].filter(
    (name) => env[name] && !isAbsolute(env[name]),
  );
  return ignored.length === 0
    ? null
    : `Ignored, as ${ignored.length === 1 ? "it is a relative path" : "they are relative paths"}: ${ignored.join(", ")}.`;
}

/** Directories that are root's, as far as they exist. */
const roots = new Set<string>();

/**
 * What root makes in the home of another user, that user could not change, or not even enter.
 * @throws PommelError `forbidden`
 */
export function refuseAnothers(dir: string): void {
  if (process.getuid?.() !== 0) return;
  if (roots.has(dir)) return;
  const { path, stat } = findNearestExisting(dir);
  if (stat.uid !== 0) {
    throw new PommelError(
      "forbidden",
      `You are root, and ${path} belongs to ${describeUser(stat.uid)}: nothing is read or written there.`,
      `Run it as that user: \`sudo -u '#${stat.uid}' pm …\`. If root needs a home of its own, make a directory as root and set POMMEL_HOME to it.`,
    );
  }
  roots.add(dir);
}

/** What exists of a path: itself, or the nearest directory above it. Below what we may not enter nothing can be seen. */
function findNearestExisting(dir: string): { path: string; stat: Stats } {
  for (let path = resolve(dir); ; path = dirname(path)) {
    try {
      return { path, stat: statSync(path) };
    } catch {
      // Missing, or not to be seen. The root is always there.
    }
  }
}

/** Bytes that are free on the disk of a directory, which need not exist yet. */
export function measureFreeBytes(dir: string): number {
  const { bavail, bsize } = statfsSync(findNearestExisting(dir).path);
  return bavail * bsize;
}

export const describeUser = (uid: number): string => (uid === 0 ? "root" : `the user with id ${uid}`);

/**
 * Makes a directory, 0700, where it is missing. One of the home gets a `.gitignore`, so that no repository around it takes it
 * up, and what lies above it the mode that is usual for directories.
 * @throws PommelError `unreadable`, which names who is in the way and the remedy; errors of the file system
 */
export function makeDirectory(dir: string): string | undefined {
  const path = resolve(dir);
  const own = listHomeDirectories().find((one) => path === one || path.startsWith(join(one, "/")));
  try {
    if (own !== undefined && !existsSync(own)) {
      mkdirSync(dirname(process.env.POMMEL_HOME || own), { recursive: true });
      mkdirSync(own, { recursive: true, mode: 0o700 });
      writeFileSync(join(own, ".gitignore"), "*\n", { mode: 0o600 });
    }
    return mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const obstacle = findWriteObstacle(path);
    if (obstacle === null || !["EACCES", "EPERM"].includes(getErrorCode(error))) throw error;
    throw new PommelError("unreadable", obstacle.message, obstacle.hint, { cause: error });
  }
}

export const formatMode = ({ mode }: Stats): string => (mode & 0o777).toString(8).padStart(4, "0");

/** Who keeps us from writing in a directory or making it, with owner, mode and remedy; null: nobody. */
export function findWriteObstacle(dir: string): { message: string; hint: string } | null {
  const us = process.getuid?.();
  if (us === undefined || us === 0) return null;
  const { path, stat } = findNearestExisting(dir);
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return null;
  } catch {
    // Whose it is says why.
  }
  const isOurs = stat.uid === us;
  const top = process.env.POMMEL_HOME || join(findUserHome(process.env), "/");
  const elsewhere = "Set POMMEL_HOME to a directory of yours.";
  return {
    message: `${path} belongs to ${isOurs ? "you" : describeUser(stat.uid)}, with mode ${formatMode(stat)}: Pommel can keep nothing in ${dir}.`,
    hint: isOurs
      ? `Run \`chmod u+rwx ${path}\`.`
      : path.startsWith(top)
        ? `Run \`sudo chown -R ${us} ${path}\`.`
        : elsewhere,
  };
}

/** The files of a person's daemon, all in the state directory. */
interface DaemonFiles {
  /** Its pid, port and token; not a lock. */
  record: string;
  /** Held by the daemon from its start to its end. */
  lock: string;
  /** Hooks' payloads. */
  spoolDir: string;
  logDir: string;
  /** Attempts to start it, and `pm daemon stop`. */
  autostartDir: string;
}

export function locateDaemonFiles({ stateDir }: Home = locateHome()): DaemonFiles {
  return {
    record: join(stateDir, "daemon.json"),
    lock: join(stateDir, "daemon.lock"),
    spoolDir: join(stateDir, "spool"),
    logDir: join(stateDir, "log"),
    autostartDir: join(stateDir, "autostart"),
  };
}

/** `registry.db`: the projects and their checkouts. */
export const locateRegistry = ({ dataDir }: Home = locateHome()): string => join(dataDir, "registry.db");

/** The person's settings for all projects. */
export const locateOwnConfig = ({ configDir }: Home = locateHome()): string => join(configDir, "config.toml");

/** Where Node keeps what it compiled of Pommel's own program: nothing of a person's. */
export const locateCompiledCode = ({ cacheDir }: Home = locateHome()): string => join(cacheDir, "compiled");

/** The longest path of a socket that every system takes: 104 bytes on macOS, with the final NUL. */
const maxSocketLength = 103;

/**
 * Where the daemon listens: a socket in the state directory or, where that path would be too long, in a directory of this
 * user's own below /tmp; on Windows a named pipe.
 */
export function locateSocket({ stateDir }: Home = locateHome()): string {
  const beside = join(stateDir, "pommeld.sock");
  if (process.platform !== "win32" && Buffer.byteLength(beside) <= maxSocketLength) return beside;
  const { createHash } = process.getBuiltinModule("node:crypto");
  const name = createHash("sha256").update(stateDir).digest("hex").slice(0, 16);
  return process.platform === "win32"
    ? `\\\\.\\pipe\\pommel-${name}`
    : join("/tmp", `pommel-${process.getuid?.() ?? 0}`, `${name}.sock`);
}

/** The directory of a socket; null for a named pipe, which has none. */
export const findSocketDirectory = (socket: string): string | null =>
  process.platform === "win32" ? null : dirname(socket);

/**
 * Whether a socket is this user's own, in a directory that nobody else can write: only then does a client speak to what
 * listens there. False where there is none.
 */
export function isOwnSocket(socket: string): boolean {
  const dir = findSocketDirectory(socket);
  if (dir === null) return true;
  const us = process.getuid?.();
  const [place, file] = [dir, socket].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  return (
    place?.isDirectory() === true &&
    file?.isSocket() === true &&
    place.uid === us &&
    file.uid === us &&
    (place.mode & 0o077) === 0
  );
}
