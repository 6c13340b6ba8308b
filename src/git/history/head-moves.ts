import { closeSync, openSync, readSync, statSync } from "node:fs";

/** A move of HEAD, as git notes it. */
export interface HeadMove {
  from: string;
  to: string;
  /** "commit: subject", "checkout: moving from a to b". */
  action: string;
}

/** So much of the log is read at the most. Bytes. */
const maxRead = 262_144;
const line = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t]*(?:\t(.*))?$/;

/** The length of a log of HEAD; 0 where there is none. */
export function lengthOfLog(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * What was noted in a log of HEAD (git/git-dir.ts) after its first `from` bytes, the earliest first.
 * @returns null where nobody can tell: it was cut, or too much came
 */
export function movesSince(file: string, from: number): HeadMove[] | null {
  const size = lengthOfLog(file);
  if (size === from) return [];
  if (size < from || size - from > maxRead) return null;
  const bytes = Buffer.alloc(size - from);
  try {
    const handle = openSync(file, "r");
    try {
      readSync(handle, bytes, 0, bytes.length, from);
    } finally {
      closeSync(handle);
    }
  } catch {
    return null;
  }
  const moves: HeadMove[] = [];
  for (const text of bytes.toString().split("\n")) {
    const [, before, after, action = ""] = line.exec(text) ?? [];
    if (before !== undefined && after !== undefined) moves.push({ from: before, to: after, action });
  }
  return moves;
}
