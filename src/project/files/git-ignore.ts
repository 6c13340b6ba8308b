import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../config/config.ts";
import { findUpwards, stateDirName } from "../paths.ts";

/**
 * Takes the line out of the repository's `.gitignore` that an older Pommel wrote at its end; the rest stays byte for byte,
 * and a file that held nothing else goes. (`.pommel/.gitignore` does what the line did.)
 * @returns the file, when it was changed
 * @throws the file system's error when it cannot be written
 */
export function removeIgnoreLine(root: string): string | null {
  const file = ignoreFileOf(root);
  const text = file === null ? null : readText(file);
  if (file === null || text === null || !ourLine.test(text)) return null;
  const rest = text.replace(ourLine, "");
  if (rest === "") rmSync(file);
  else writeFileSync(file, rest);
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
