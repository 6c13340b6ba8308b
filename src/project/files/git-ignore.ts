import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../config/config.ts";
import { findUpwards, stateDirName } from "../paths.ts";
import { writeInPlace } from "./text-file.ts";

/**
 * Takes the line out of the repository's `.gitignore` that an older Pommel wrote at its end; the rest stays byte for byte,
 * and a file that held nothing else goes. (`.pommel/.gitignore` does what the line did.)
 * @returns the file, when it was changed
 * @throws PommelError `unreadable`, `disk_full`
 */
export function removeIgnoreLine(root: string): string | null {
  const file = ignoreFileOf(root);
  if (file === null || !hasIgnoreLine(root)) return null;
  // A character per byte: names need not be UTF-8.
  const rest = readFileSync(file, "latin1").replace(ourLine, "");
  if (rest === "") rmSync(file);
  else writeInPlace(file, Buffer.from(rest, "latin1"));
  return file;
}

/** Whether `removeIgnoreLine` has something to do. */
export function hasIgnoreLine(root: string): boolean {
  const file = ignoreFileOf(root);
  return file !== null && ourLine.test(readText(file) ?? "");
}

const ourLine = new RegExp(`^\\${stateDirName}/(?:\\r?\\n|$)`, "m");

function ignoreFileOf(root: string): string | null {
  const top = findUpwards(root, ".git");
  return top === null ? null : join(top, ".gitignore");
}
