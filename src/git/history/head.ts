import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { GitFailure, gitText } from "../git.ts";
import { commonDirectoryOf, gitDirectoryOf } from "../git-dir.ts";

/**
 * A text that is another one whenever HEAD is at another commit, read from git's own files (gitrepository-layout): git
 * itself takes as long to start as a search may take.
 * @returns null outside of a working tree
 */
export function headStamp(dir: string): string | null {
  const gitDir = gitDirectoryOf(dir);
  if (gitDir === null) return null;
  try {
    const head = readFileSync(join(gitDir, "HEAD"), "utf8").trim();
    const [, branch] = /^ref: (.+)$/.exec(head) ?? [];
    if (branch === undefined) return head;
    const common = commonDirectoryOf(gitDir);
    const loose = textOf(join(gitDir, branch)) ?? textOf(join(common, branch));
    // Where branches are not files of their own they lie in one of these, and move when it is written.
    const tables = [
      join(common, "packed-refs"),
      ...[gitDir, common].map((dir) => join(dir, "reftable", "tables.list")),
    ];
    return `${branch} ${loose ?? tables.map(changeOf).join()}`;
  } catch {
    return null;
  }
}

/** What a file of git's says, without the break at its end; null where it is not there. */
export function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return null;
  }
}

/** Another text whenever a file, or what lies in a directory, changes. Git replaces its files: each is a new one. */
export function changeOf(file: string): string {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat ? `${stat.mtimeMs}/${stat.size}/${stat.ino}` : "";
  } catch {
    return "unreadable";
  }
}

/** A move of HEAD, as git notes it. */
interface HeadMove {
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

/**
 * As `branchOf`, read from git's own file where that says it (gitrepository-layout): for what has no time to start git.
 */
export async function branchAtHand(dir: string): Promise<string | null> {
  const gitDir = gitDirectoryOf(dir);
  if (gitDir === null) return null;
  try {
    const head = readFileSync(join(gitDir, "HEAD"), "utf8").trim();
    if (/^[0-9a-f]{40,64}$/.test(head)) return null;
    const [, branch] = /^ref: refs\/heads\/(.+)$/.exec(head) ?? [];
    // With reftables the file names no branch that there could be.
    if (branch !== undefined && branch !== ".invalid") return branch;
  } catch {
    // Git may know.
  }
  return branchOf(dir);
}

/** The branch that is checked out in `dir`, also one without commits; null: none is, or there is no repository. */
export async function branchOf(dir: string): Promise<string | null> {
  try {
    const ref = await gitText(dir, ["symbolic-ref", "--quiet", "HEAD"]);
    return ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : null;
  } catch (error) {
    if (error instanceof GitFailure) return null;
    throw error;
  }
}
