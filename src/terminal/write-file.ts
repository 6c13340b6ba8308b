import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { getErrorCode, getErrorMessage, PommelError } from "../base/errors.ts";
import { makeDraftPath, replaceFile } from "../base/files/replace-file.ts";

/**
 * Writes a new file in one step, readable only by its owner.
 * @param to the file, or a directory in which to write a file called `name`
 * @returns the file's path
 * @throws PommelError `usage` if the file exists, unless `force`
 */
export function writeNew(to: string, name: string, text: string, force: boolean): string {
  const file = isDirectory(to) ? join(to, name) : to;
  refuseExisting(file, force);
  writeOrExplain(file, () => replaceFile(file, text));
  return file;
}

/** @throws PommelError `usage` */
function refuseExisting(file: string, force: boolean): void {
  if (force || !existsSync(file)) return;
  throw new PommelError("usage", `${file} exists.`, "Choose another place, or replace it with --force.");
}

/** Output that appears once it is complete, or not at all. */
interface FileDraft {
  finish(): void;
  /** Removes what is not finished. */
  discard(): void;
}

/** Opens a long file to be written piece by piece. @throws PommelError `usage` if it exists, unless `force` */
export function openFile(to: string, force: boolean): FileDraft & { write(text: string): void } {
  if (isDirectory(to)) throw new PommelError("usage", `${to} is a directory.`, "Name a file with --to.");
  refuseExisting(to, force);
  const draft = makeDraftPath(to);
  const fd = writeOrExplain(to, () => {
    rmSync(draft, { force: true });
    return openSync(draft, "wx", 0o600);
  });
  let isOpen = true;
  const close = () => {
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
  return {
    ...guardDraft(draft, close),
    write: (text) => writeOrExplain(to, () => writeFileSync(fd, text)),
    finish: () =>
      writeOrExplain(to, () => {
        fsyncSync(fd);
        close();
        renameSync(draft, to);
      }),
  };
}

/** @throws PommelError `usage` if the directory has files, unless `force`: then only files of the same names are replaced */
export function openDirectory(
  to: string,
  force: boolean,
): FileDraft & { write(name: string, text: string): void } {
  const isThere = existsSync(to);
  if (isThere && !isDirectory(to))
    throw new PommelError("usage", `${to} is a file.`, "Name a directory with --to.");
  if (isThere && !force && readdirSync(to).length > 0) {
    const hint = "Choose another place, or replace its files with --force.";
    throw new PommelError("usage", `${to} is not empty.`, hint);
  }
  const draft = makeDraftPath(to);
  writeOrExplain(to, () => {
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { mode: 0o700 });
  });
  return {
    ...guardDraft(draft),
    write: (name, text) =>
      writeOrExplain(join(to, name), () => replaceFile(join(draft, basename(name)), text)),
    finish: () =>
      writeOrExplain(to, () => {
        if (isThere && readdirSync(to).length === 0) rmdirSync(to);
        if (!existsSync(to)) return renameSync(draft, to);
        for (const name of readdirSync(draft)) renameSync(join(draft, name), join(to, name));
      }),
  };
}

/** Removes the draft at the end, also when Ctrl-C ends the process and no `finally` runs. */
function guardDraft(draft: string, close = () => {}): Pick<FileDraft, "discard"> {
  const remove = () => {
    close();
    rmSync(draft, { recursive: true, force: true });
  };
  const leave = (signal: NodeJS.Signals) => {
    remove();
    process.kill(process.pid, signal);
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.once(signal, leave);
  return {
    discard() {
      for (const signal of signals) process.off(signal, leave);
      remove();
    },
  };
}

const isDirectory = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** @throws PommelError `not_found` where the directory is missing, `disk_full`, or `unreadable` */
function writeOrExplain<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    const cause = { cause: error };
    const code = getErrorCode(error);
    if (code === "ENOENT")
      throw new PommelError(
        "not_found",
        `${dirname(path)} does not exist.`,
        "Create the directory first.",
        cause,
      );
    if (code === "ENOSPC")
      throw new PommelError("disk_full", `No space left to write ${path}.`, "Free some space.", cause);
    throw new PommelError(
      "unreadable",
      `Cannot write ${path}: ${getErrorMessage(error)}.`,
      "Check its permissions.",
      cause,
    );
  }
}
