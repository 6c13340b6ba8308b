import { readdirSync, readFileSync } from "node:fs";

/** What is in a directory or a file, for whoever takes one that is missing or cannot be read for an empty one. */

export function listNamesIfAny(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

export function readTextIfAny(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
