import { lstatSync } from "node:fs";
import { join } from "node:path";
import { findPlaceInRepository } from "../diff/changes.ts";
import { GitFailure, plain, plainDiff, plainEnvironment, readGitBytes, readGitFields } from "../git.ts";
import { splitLines } from "../output-lines.ts";
import { RepositoryCache } from "../repository-cache.ts";

/** What a commit did to a file. */
export interface FileCommit {
  hash: string;
  subject: string;
  /** Milliseconds since the epoch. */
  committedAt: number;
  removed: string[];
  added: string[];
}

/** Commits that are read, and the longest line. Bytes. */
const changeLimits = { commits: 40, line: 4096 } as const;
const cache = new RepositoryCache<FileCommit[]>({
  max: 50,
  fits: (changes) =>
    changes.reduce((sum, { removed, added }) => sum + removed.length + added.length, 0) < 20_000,
});

/**
 * What the latest commits of a revision did to a file, the latest first; none where git fails. Not across renames, which
 * would be looked for in all of every commit.
 * @param path relative to `dir`
 */
export function readRecentChanges(dir: string, path: string, revision = "HEAD"): Promise<FileCommit[]> {
  return cache.getOrAsk(dir, JSON.stringify([path, revision]), () => readChanges(dir, path, revision));
}

async function readChanges(dir: string, path: string, revision: string): Promise<FileCommit[]> {
  const args = [
    ...plain,
    "log",
    "--no-merges",
    `--max-count=${changeLimits.commits}`,
    "--no-show-signature",
    "--encoding=UTF-8",
    "--format=%x01%H %ct %s",
    "-p",
    "-U0",
    ...plainDiff,
    "--no-renames",
    revision,
    "--",
    path,
  ];
  const changes: FileCommit[] = [];
  let isHunk = false;
  try {
    for await (const lines of splitLines(
      readGitBytes(dir, args, { env: plainEnvironment }),
      changeLimits.line,
    )) {
      for (const line of lines) {
        const [, hash = "", time = "", subject = ""] = /^\x01([0-9a-f]{40,64}) (\d+) (.*)$/.exec(line) ?? [];
        if (hash !== "") {
          changes.push({ hash, subject, committedAt: Number(time) * 1000, removed: [], added: [] });
          isHunk = false;
        } else if (line.startsWith("@@")) isHunk = true;
        else if (isHunk && line.startsWith("-")) changes.at(-1)?.removed.push(line.slice(1));
        else if (isHunk && line.startsWith("+")) changes.at(-1)?.added.push(line.slice(1));
      }
    }
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return [];
  }
  return changes;
}

/** A path that a file had before a commit, or an uncommitted change, renamed it. */
export interface FormerName {
  path: string;
  /** When the commit renamed it, in milliseconds since the epoch; null: not committed. */
  until: number | null;
}

const formerOnes = new RepositoryCache<FormerName[]>({ max: 500 });

/**
 * The paths that files of the working tree had before, as far as git finds them until the signal aborts; none without
 * a repository.
 * @param paths relative to `dir`; those that are no files are left out
 * @returns by today's path, the latest former one first
 */
export async function findFormerNames(
  dir: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, FormerName[]>> {
  const found = new Map<string, FormerName[]>();
  const files = paths.filter((path) => lstatSync(join(dir, path), { throwIfNoEntry: false })?.isFile());
  if (files.length === 0) return found;
  try {
    const { prefix } = await findPlaceInRepository(dir, signal);
    const uncommitted = await listUncommittedRenames(dir, prefix, signal);
    for (const path of files) {
      const before = uncommitted.get(path);
      const committed = before ?? path;
      const names = await formerOnes.getOrAsk(dir, committed, () =>
        listCommittedNames(dir, prefix, committed, signal),
      );
      const all = before === undefined ? names : [{ path: before, until: null }, ...names];
      if (all.length > 0) found.set(path, all);
    }
  } catch (error) {
    if (!signal.aborted && !(error instanceof GitFailure)) throw error;
  }
  return found;
}

async function listCommittedNames(
  dir: string,
  prefix: string,
  path: string,
  signal: AbortSignal,
): Promise<FormerName[]> {
  const names: FormerName[] = [];
  const args = ["log", "--follow", "--diff-filter=R", "--name-status", "-z", "--no-show-signature"];
  const fields = readGitFields(
    dir,
    [...plain, ...args, ...plainDiff, "--format=%x01%ct", "--", path],
    signal,
  );
  let until: number | null = null;
  for await (const field of fields) {
    const [, time] = /^\x01(\d+)$/.exec(field.trim()) ?? [];
    if (time !== undefined) until = Number(time) * 1000;
    else if (isRename(field)) {
      const before = (await fields.next()).value ?? "";
      await fields.next();
      if (before.startsWith(prefix)) names.push({ path: before.slice(prefix.length), until });
    }
  }
  return names;
}

async function listUncommittedRenames(
  dir: string,
  prefix: string,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const renames = new Map<string, string>();
  const args = ["diff", "--name-status", "-z", "--diff-filter=R", ...plainDiff, "HEAD", "--"];
  const fields = readGitFields(dir, [...plain, ...args], signal);
  for await (const field of fields) {
    if (!isRename(field)) continue;
    const [before = "", now = ""] = [(await fields.next()).value ?? "", (await fields.next()).value ?? ""];
    if (before.startsWith(prefix) && now.startsWith(prefix))
      renames.set(now.slice(prefix.length), before.slice(prefix.length));
  }
  return renames;
}

const isRename = (field: string) => /^\n?R\d+$/.test(field);
