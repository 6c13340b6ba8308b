import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "./errors.ts";
import { findUpwards, stateDirName } from "./paths.ts";

/** What became of the repository's `.gitignore`. */
export type IgnoreOutcome = "created" | "changed" | "already";

/**
 * Makes git ignore `.pommel/` in the working tree that `root` lies in: one line at the end of the `.gitignore` at
 * its top, unless git already ignores it for whatever reason. The rest of the file stays byte for byte.
 * @returns null outside git
 * @throws the file system's error when `.gitignore` cannot be written
 */
export function ignoreStateDir(root: string): IgnoreOutcome | null {
  const top = findUpwards(root, ".git");
  if (top === null) return null;
  if (gitIgnores(root)) return "already";
  const file = join(top, ".gitignore");
  const text = readIfThere(file);
  if (text?.split(/\r?\n/).some(ignoresStateDir)) return "already";
  const eol = text?.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === null || text === "" || text.endsWith("\n") ? "" : eol;
  appendFileSync(file, `${gap}${stateDirName}/${eol}`);
  return text === null ? "created" : "changed";
}

/** Asks git itself, which also knows global excludes and `.git/info/exclude`; false when git cannot be asked. */
function gitIgnores(root: string): boolean {
  // Without a final slash: with one, git would also find the .gitignore inside the directory.
  const { status } = spawnSync("git", ["-C", root, "check-ignore", "--quiet", stateDirName], {
    stdio: "ignore",
    timeout: 5000,
  });
  return status === 0;
}

/** For a machine without git: the patterns that people write for a directory of that name. */
function ignoresStateDir(line: string): boolean {
  return /^(?:\*\*\/|\/)?\.pommel\/?(?:\*\*?)?$/.test(line.trim());
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}
