import { lstatSync } from "node:fs";
import { gitBuffer } from "../git.ts";

/**
 * Paths as git and the file system have them, which need not be UTF-8: each character is a byte (latin1). Taken for
 * another, a file would be overlooked, and overwritten.
 */
export type BytePath = string;

/** The fields of a git command's `-z` output. @throws GitFailure */
export async function byteFields(dir: string, args: readonly string[]): Promise<string[]> {
  const output = await gitBuffer(dir, args);
  return output.toString("latin1").split("\0").slice(0, -1);
}

export const shownPath = (path: BytePath): string => Buffer.from(path, "latin1").toString();

/** Whether the path can be handed to a program as an argument. */
export const isPlainText = (path: BytePath): boolean =>
  Buffer.from(shownPath(path)).toString("latin1") === path;

/** As `node:fs` takes it. */
export const fileAt = (top: string, path: BytePath): Buffer =>
  Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, "latin1")]);

export type FileKind = "directory" | "link" | "file" | "other";

/** What lies there; null: nothing. */
export function kindOf(file: Buffer): FileKind | null {
  try {
    const stat = lstatSync(file);
    if (stat.isDirectory()) return "directory";
    return stat.isFile() ? "file" : stat.isSymbolicLink() ? "link" : "other";
  } catch {
    // Not there, or below something that is no directory.
    return null;
  }
}
