import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf, messageOf, PommelError } from "../../../project/errors.ts";
import { draftOf, replaceFile } from "../../../project/files/replace-file.ts";

/**
 * Writes a file that must not exist, in one step, readable by its owner alone.
 * @param to the file, or a directory that gets one of this name
 * @returns the file
 * @throws PommelError `usage` for one that exists, unless `force`
 */
export function writeNew(to: string, name: string, text: string, force: boolean): string {
  const file = isDirectory(to) ? join(to, name) : to;
  refuseExisting(file, force);
  orExplain(file, () => replaceFile(file, text));
  return file;
}

/** @throws PommelError `usage` */
export function refuseExisting(file: string, force: boolean): void {
  if (force || !existsSync(file)) return;
  throw new PommelError("usage", `${file} exists.`, "Choose another place, or replace it with --force.");
}

/** A directory that appears with all its files, or not at all. */
interface Directory {
  write(name: string, text: string): void;
  finish(): void;
  /** Removes what is not finished. */
  discard(): void;
}

/** @throws PommelError `usage` for one with files in it, unless `force`: then only files of the same names are replaced */
export function openDirectory(to: string, force: boolean): Directory {
  const isThere = existsSync(to);
  if (isThere && !isDirectory(to))
    throw new PommelError("usage", `${to} is a file.`, "Name a directory with --to.");
  if (isThere && !force && readdirSync(to).length > 0)
    throw new PommelError(
      "usage",
      `${to} is not empty.`,
      "Choose another place, or replace its files with --force.",
    );
  const draft = draftOf(to);
  orExplain(to, () => {
    mkdirSync(dirname(to), { recursive: true });
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { mode: 0o700 });
    chmodSync(draft, 0o700);
  });
  const discard = () => rmSync(draft, { recursive: true, force: true });
  // Ctrl-C ends the process without any `finally`.
  const leave = (signal: NodeJS.Signals) => {
    discard();
    process.kill(process.pid, signal);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, leave);
  return {
    write(name, text) {
      orExplain(join(to, name), () => replaceFile(join(draft, basename(name)), text));
    },
    finish() {
      orExplain(to, () => {
        if (isThere && readdirSync(to).length === 0) rmdirSync(to);
        if (!existsSync(to)) return renameSync(draft, to);
        for (const name of readdirSync(draft)) renameSync(join(draft, name), join(to, name));
      });
    },
    discard() {
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, leave);
      discard();
    },
  };
}

const isDirectory = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** @throws PommelError `not_found` where the directory is missing, `disk_full`, or `unreadable` */
function orExplain(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT")
      throw new PommelError("not_found", `${dirname(path)} does not exist.`, "Create the directory first.", {
        cause: error,
      });
    if (code === "ENOSPC")
      throw new PommelError("disk_full", `No space left to write ${path}.`, "Free some space.", {
        cause: error,
      });
    throw new PommelError(
      "unreadable",
      `Cannot write ${path}: ${messageOf(error)}.`,
      "Check its permissions.",
      { cause: error },
    );
  }
}
