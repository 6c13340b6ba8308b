import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { dirname, isAbsolute, resolve, sep } from "node:path";

/**
 * What a session was at work in, wherever it was started: the directories that its transcript names as where the agent was,
 * and those of the files that it was about.
 */

/** Where a line of a transcript says where the agent is, or which file it is about. */
const keys = "cwd|file_path|notebook_path|workdir|directory";
const places = new RegExp(`"(${keys})"\\s*:\\s*"((?:[^"\\\\]|\\\\.){1,4096})"`, "g");
const keyBefore = new RegExp(`"(?:${keys})"\\s*:\\s*"$`);
/** More than a key takes. Bytes. */
const maxKey = 64;
/** What is looked at of a path behind a root. Bytes. */
const maxRest = 4096;
const pieceSize = 4_194_304;

/** The directories that a part of a transcript names. */
export function findMentionedDirectories(path: string, from: number, to: number): Set<string> {
  const found = new Set<string>();
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(to - from);
    const length = readSync(file, buffer, 0, buffer.length, from);
    for (const [, key, quoted] of buffer.toString("utf8", 0, length).matchAll(places)) {
      const named = parseJsonFragment(quoted!);
      if (named === null || !isAbsolute(named)) continue;
      found.add(resolve(key!.endsWith("_path") ? dirname(named) : named));
    }
  } finally {
    closeSync(file);
  }
  return found;
}

/** Whether a transcript names any of these directories, or something in them. Reads all of it, at the speed of the disk. */
export function hasMentionOfAnyDirectory(path: string, roots: readonly string[]): boolean {
  const wanted = roots.map((root) => Buffer.from(JSON.stringify(root).slice(1, -1)));
  const ends = ['"', JSON.stringify(sep).slice(1, -1)].map((end) => end.charCodeAt(0));
  const overlap = maxKey + Math.max(...wanted.map(({ length }) => length)) + 1;
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(Math.min(pieceSize, fstatSync(file).size + overlap));
    for (let position = 0, kept = 0; ; ) {
      const read = readSync(file, buffer, kept, buffer.length - kept, position);
      if (read === 0) return false;
      position += read;
      const piece = buffer.subarray(0, kept + read);
      if (wanted.some((root) => hasMentionOfDirectory(piece, root, ends))) return true;
      kept = Math.min(overlap, piece.length);
      piece.copyWithin(0, piece.length - kept);
    }
  } finally {
    closeSync(file);
  }
}

function hasMentionOfDirectory(piece: Buffer, root: Buffer, ends: readonly number[]): boolean {
  for (let at = piece.indexOf(root); at !== -1; at = piece.indexOf(root, at + root.length)) {
    if (!ends.includes(piece[at + root.length] ?? 0)) continue;
    if (!keyBefore.test(piece.toString("latin1", Math.max(0, at - maxKey), at))) continue;
    const [rest = ""] = piece.toString("latin1", at + root.length, at + root.length + maxRest).split('"', 1);
    // A path that climbs leads elsewhere.
    if (!/(?:^|[\\/])\.\.(?:[\\/]|$)/.test(rest)) return true;
  }
  return false;
}

function parseJsonFragment(text: string): string | null {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return null;
  }
}
