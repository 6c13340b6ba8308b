import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { readChangeStamp } from "../../base/files/file-id.ts";
import { resolveCommonDirectory } from "../../base/paths.ts";
import { readGitTextIfAny } from "../git.ts";
import { findGitDirectory, readGitFile } from "../git-dir.ts";

/** Names of branches that work begins from, the likeliest first. */
export const defaultBranches = ["main", "master", "trunk", "develop"];

/**
 * A string that changes whenever HEAD's commit does, read from git's own files (gitrepository-layout): starting git
 * takes as long as a search may.
 * @returns null outside of a working tree
 */
export function readHeadStamp(dir: string): string | null {
  const gitDir = findGitDirectory(dir);
  if (gitDir === null) return null;
  try {
    const head = readFileSync(join(gitDir, "HEAD"), "utf8").trim();
    const [, branch] = /^ref: (.+)$/.exec(head) ?? [];
    if (branch === undefined) return head;
    const common = resolveCommonDirectory(gitDir);
    const loose = readGitFile(join(gitDir, branch)) ?? readGitFile(join(common, branch));
    // Branches that are not loose files are in one of these.
    const tables = [
      join(common, "packed-refs"),
      ...[gitDir, common].map((dir) => join(dir, "reftable", "tables.list")),
    ];
    return `${branch} ${loose ?? tables.map(readChangeStamp).join()}`;
  } catch {
    return null;
  }
}

/** A move of HEAD from the reflog. */
interface HeadMove {
  from: string;
  to: string;
  /** "commit: subject", "checkout: moving from a to b". */
  action: string;
}

/** Bytes. */
const maxRead = 262_144;
const line = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t]*(?:\t(.*))?$/;

/** The size of a reflog file; 0 when it is missing. */
export function measureLog(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * The entries of HEAD's reflog file (git-dir.ts) after its first `from` bytes, oldest first.
 * @returns null when unknown: the file shrank, or grew too much
 */
export function readMovesSince(file: string, from: number): HeadMove[] | null {
  const size = measureLog(file);
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

/** `askForBranch` without starting git where possible, read from the HEAD file (gitrepository-layout). */
export async function readCurrentBranch(dir: string): Promise<string | null> {
  const gitDir = findGitDirectory(dir);
  if (gitDir === null) return null;
  try {
    const head = readFileSync(join(gitDir, "HEAD"), "utf8").trim();
    if (/^[0-9a-f]{40,64}$/.test(head)) return null;
    const [, branch] = /^ref: refs\/heads\/(.+)$/.exec(head) ?? [];
    // With reftables, the file names an invalid branch.
    if (branch !== undefined && branch !== ".invalid") return branch;
  } catch {
    // Ask git.
  }
  return askForBranch(dir);
}

/** The branch checked out in `dir`, even without commits; null when detached or without a repository. */
export async function askForBranch(dir: string): Promise<string | null> {
  const ref = await readGitTextIfAny(dir, ["symbolic-ref", "--quiet", "HEAD"]);
  return ref?.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : null;
}
