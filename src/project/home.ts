import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";

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
const homedir = (): string => process.getBuiltinModule("node:os").homedir();

export function homeOf(env: NodeJS.ProcessEnv = process.env): Home {
  const all = env.POMMEL_HOME;
  if (all) {
    return {
      configDir: join(all, "config"),
      dataDir: join(all, "data"),
      cacheDir: join(all, "cache"),
      stateDir: join(all, "state"),
    };
  }
  const place = (chosen: string | undefined, ...usual: string[]) =>
    join(chosen || join(env.HOME || homedir(), ...usual), "pommel");
  return {
    configDir: place(env.XDG_CONFIG_HOME, ".config"),
    dataDir: place(env.XDG_DATA_HOME, ".local", "share"),
    cacheDir: place(env.XDG_CACHE_HOME, ".cache"),
    stateDir: place(env.XDG_STATE_HOME, ".local", "state"),
  };
}

/** The files of a person's daemon, all in the state directory. */
export interface DaemonFiles {
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

export function daemonFiles({ stateDir }: Home = homeOf()): DaemonFiles {
  return {
    record: join(stateDir, "daemon.json"),
    lock: join(stateDir, "daemon.lock"),
    spoolDir: join(stateDir, "spool"),
    logDir: join(stateDir, "log"),
    autostartDir: join(stateDir, "autostart"),
  };
}

/** `registry.db`: the projects and their checkouts. */
export const registryFile = ({ dataDir }: Home = homeOf()): string => join(dataDir, "registry.db");

/** The person's settings for all projects. */
export const ownConfigFile = ({ configDir }: Home = homeOf()): string => join(configDir, "config.toml");

/** The longest path of a socket that every system takes: 104 bytes on macOS, with the final NUL. */
const maxSocketLength = 103;

/**
 * Where the daemon listens: a socket in the state directory or, where that path would be too long, in a directory of this
 * user's own below /tmp; on Windows a named pipe.
 */
export function socketOf({ stateDir }: Home = homeOf()): string {
  const beside = join(stateDir, "pommeld.sock");
  if (process.platform !== "win32" && Buffer.byteLength(beside) <= maxSocketLength) return beside;
  const { createHash } = process.getBuiltinModule("node:crypto");
  const name = createHash("sha256").update(stateDir).digest("hex").slice(0, 16);
  return process.platform === "win32"
    ? `\\\\.\\pipe\\pommel-${name}`
    : join("/tmp", `pommel-${process.getuid?.() ?? 0}`, `${name}.sock`);
}

/** The directory of a socket; null for a named pipe, which has none. */
export const directoryOfSocket = (socket: string): string | null =>
  process.platform === "win32" ? null : dirname(socket);

/**
 * Whether a socket is this user's own, in a directory that nobody else can write: only then does a client speak to what
 * listens there. False where there is none.
 */
export function isOwnSocket(socket: string): boolean {
  const dir = directoryOfSocket(socket);
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
