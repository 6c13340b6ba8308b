import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import { makeDraftPath, replaceFile } from "../../base/files/replace-file.ts";

/** A hook file; its text is latin1, one character per byte. */
export interface HookFile {
  /** The link target's text for a link; null when the link is broken. */
  text: string | null;
  isLink: boolean;
  /** Whether git would run it. */
  isExecutable: boolean;
  stat: Stats;
}

/**
 * The hook at `file`; null when there is none.
 * @throws PommelError `unreadable`
 */
export function readHook(file: string): HookFile | null {
  try {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return null;
    const isLink = stat.isSymbolicLink();
    if (!isLink && !stat.isFile()) throw new Error("it is not a file");
    const text = isLink && !existsSync(file) ? null : readFileSync(file, "latin1");
    return { text, isLink, isExecutable: isExecutable(file), stat };
  } catch (error) {
    throw explain(error, "read", file);
  }
}

/** Like git: by permission; on Windows, every hook. */
function isExecutable(file: string): boolean {
  if (process.platform === "win32") return true;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Replaces a hook atomically, because git may be about to read it, and keeps the owner of `before`.
 * @throws PommelError `unreadable`, `disk_full`
 */
export function writeHook(file: string, text: string, mode: number, before: Stats | null): void {
  try {
    replaceFile(file, Buffer.from(text, "latin1"), { mode: mode & 0o7777, owner: before });
  } catch (error) {
    throw explain(error, "write", file);
  }
}

/** The mode of a new hook, executable within the umask. */
export function computeHookMode(): number {
  return 0o777 & ~process.umask();
}

/**
 * An unused path for a replaced hook, relative to its directory. Shell scripts keep their directory, because they find
 * files beside them by it; programs keep their name, because one program may serve several hooks.
 */
export function chooseKeptName(dir: string, hook: string, isShellScript: boolean): string {
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? "" : `-${n}`;
    const name = isShellScript ? `${hook}.pommel-kept${suffix}` : `pommel-kept${suffix}/${hook}`;
    if (lstatSync(join(dir, name), { throwIfNoEntry: false }) === undefined) return name;
  }
}

/**
 * Links a hook under a second name, so that its first one can be replaced.
 * @throws PommelError `unreadable`, `disk_full`
 */
export function keepHook(dir: string, hook: string, kept: string): void {
  const from = join(dir, hook);
  const to = join(dir, kept);
  try {
    mkdirSync(dirname(to), { recursive: true });
    if (lstatSync(from).isSymbolicLink()) symlinkSync(adjustLinkTarget(readlinkSync(from), kept, "down"), to);
    else linkOrMove(from, to);
  } catch (error) {
    throw explain(error, "write", to);
  }
}

function linkOrMove(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (getErrorCode(error) === "EEXIST" || getErrorCode(error) === "EACCES") throw error;
    // Without hard links, the hook is missing for a moment.
    renameSync(from, to);
  }
}

/**
 * Restores a kept hook atomically; removes the hook if the kept one no longer exists.
 * @throws PommelError `unreadable`, `disk_full`
 */
export function restoreHook(file: string, kept: string): void {
  const from = join(dirname(file), kept);
  try {
    const stat = lstatSync(from, { throwIfNoEntry: false });
    if (stat === undefined) {
      rmSync(file, { force: true });
    } else if (stat.isSymbolicLink()) {
      const draft = makeDraftPath(file);
      symlinkSync(adjustLinkTarget(readlinkSync(from), kept, "up"), draft);
      renameSync(draft, file);
      rmSync(from);
    } else {
      renameSync(from, file);
    }
  } catch (error) {
    throw explain(error, "write", file);
  }
  if (kept.includes("/")) removeEmpty(dirname(from));
}

/** @throws PommelError `unreadable` */
export function removeHook(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    throw explain(error, "write", file);
  }
}

/** A link's target relative to the directory it moves to. */
function adjustLinkTarget(target: string, kept: string, direction: "down" | "up"): string {
  if (isAbsolute(target) || !kept.includes("/")) return target;
  if (direction === "down") return `../${target}`;
  return target.startsWith("../") ? target.slice(3) : target;
}

/** Removes a directory if it is empty. */
export function removeEmpty(dir: string): void {
  try {
    rmdirSync(dir);
  } catch {
    // Not empty.
  }
}

/** Turns a file system error into a PommelError with a hint. */
function explain(error: unknown, verb: "read" | "write", file: string): unknown {
  if (error instanceof PommelError) return error;
  return new PommelError(
    getErrorCode(error) === "ENOSPC" ? "disk_full" : "unreadable",
    `Cannot ${verb} ${file}: ${getErrorMessage(error)}.`,
    "Check that you can write git's hooks, and that the disk has room.",
    { cause: error },
  );
}

/** An older lock is stale. Milliseconds; changing hooks takes a few. */
const staleMs = 10_000;

/**
 * Runs `change` under a lock on `dir`, which linked worktrees and projects of a repository share.
 * @param create whether to create a missing directory
 * @throws PommelError `unreadable`, `disk_full`
 */
export async function withHooksLock<T>(dir: string, create: boolean, change: () => T): Promise<T> {
  const file = join(dir, "pommel.lock");
  try {
    if (create) mkdirSync(dir, { recursive: true });
    while (!tryLock(file)) await sleep(20);
  } catch (error) {
    throw explain(error, "write", dir);
  }
  try {
    return change();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryLock(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: "wx" });
    return true;
  } catch (error) {
    if (getErrorCode(error) !== "EEXIST") throw error;
    const since = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > staleMs) rmSync(file, { force: true });
    return false;
  }
}
