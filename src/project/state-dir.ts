import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readText } from "./config/config.ts";
import { configTemplate } from "./config/setting-values.ts";
import type { Config } from "./config/settings.ts";
import { codeOf, messageOf, PommelError } from "./errors.ts";
import { writeInPlace } from "./files/text-file.ts";
import { findUpwards, type Project, refuseForeign, stateDirName } from "./paths.ts";

/** Created files, relative to the project's root. */
type StateDirPart = ".pommel/" | ".pommel/config.toml" | ".pommel/.gitignore";

/**
 * Creates `.pommel/` (0700) with `config.toml` (0600) and a `.gitignore` that keeps it out of every commit whatever the
 * repository's own says. Existing files stay.
 * @throws PommelError `unreadable` when the directory is not writable or `.pommel` is a file, `disk_full`, `forbidden`
 *   when it is not this user's
 */
export function createStateDir(project: Project, overrides: Partial<Config> = {}): StateDirPart[] {
  const created: StateDirPart[] = [];
  refuseForeign(project.root);
  try {
    // Atomic, because two processes may do so at once.
    const made = mkdirSync(project.stateDir, { recursive: true, mode: 0o700 });
    if (made !== undefined) created.push(".pommel/");
    closeToOthers(project);
    if (writeNew(project.configFile, () => configTemplate(overrides))) created.push(".pommel/config.toml");
    if (writeNew(join(project.stateDir, ".gitignore"), () => "*\n")) created.push(".pommel/.gitignore");
  } catch (error) {
    throw explain(error, project);
  }
  return created;
}

/** Makes `.pommel/` its owner's only, also where it came with a repository. */
export function closeToOthers({ stateDir }: Project): void {
  try {
    chmodSync(stateDir, 0o700);
  } catch (error) {
    // Another user's, which root works in, or a file system without permissions.
    if (codeOf(error) !== "EPERM" && codeOf(error) !== "EROFS") throw error;
  }
}

/** Writes a file that does not exist yet; false when it does. */
function writeNew(file: string, text: () => string): boolean {
  try {
    writeFileSync(file, text(), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function explain(error: unknown, project: Project): unknown {
  const code = codeOf(error);
  if (code === "EEXIST" || code === "ENOTDIR") {
    return new PommelError(
      "unreadable",
      `${project.stateDir} is not a directory.`,
      `Move it away: Pommel keeps this project's index in ${stateDirName}/.`,
      { cause: error },
    );
  }
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
    return new PommelError(
      "unreadable",
      `Cannot write to ${dirname(project.stateDir)}: ${messageOf(error)}.`,
      "Pommel keeps its index inside the project: make the directory writable.",
      { cause: error },
    );
  }
  if (code === "ENOSPC") {
    return new PommelError("disk_full", `The disk is full: ${messageOf(error)}.`, "Free some space.", {
      cause: error,
    });
  }
  return error;
}

/**
 * Removes the line that an older Pommel added to the repository's `.gitignore`, now replaced by `.pommel/.gitignore`.
 * The rest stays byte for byte; a file without other content is deleted.
 * @returns the changed file, or null
 * @throws PommelError `unreadable`, `disk_full`
 */
export function removeIgnoreLine(root: string): string | null {
  const file = ignoreFileOf(root);
  if (file === null || !hasIgnoreLine(root)) return null;
  // latin1, because names need not be UTF-8.
  const rest = readFileSync(file, "latin1").replace(ourLine, "");
  if (rest === "") rmSync(file);
  else writeInPlace(file, Buffer.from(rest, "latin1"));
  return file;
}

/** Whether `removeIgnoreLine` would change something. */
export function hasIgnoreLine(root: string): boolean {
  const file = ignoreFileOf(root);
  return file !== null && ourLine.test(readText(file) ?? "");
}

const ourLine = new RegExp(`^\\${stateDirName}/(?:\\r?\\n|$)`, "m");

function ignoreFileOf(root: string): string | null {
  const top = findUpwards(root, ".git");
  return top === null ? null : join(top, ".gitignore");
}
