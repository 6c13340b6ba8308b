import { lstatSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import { GitFailure, gitBytes } from "../git.ts";
import { gitDirectoryOf } from "../git-dir.ts";
import { changeOf } from "../history/head-stamp.ts";
import { linesOf } from "../output-lines.ts";
import { plain, plainEnvironment } from "../plain.ts";
import { RepositoryCache } from "../repository-cache.ts";
import { placeOf } from "./changes.ts";
import type { BlamedCommit, BlamedLine } from "./changes-types.ts";
import { BlameReader } from "./parse-blame.ts";

export interface BlameOptions {
  /** First and last line of each, from 1; default: the whole file. */
  ranges?: readonly (readonly [number, number])[] | undefined;
  /** The file as it was then; default: as it is in the working tree. */
  revision?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface Blame {
  /** In the file's order. */
  lines: BlamedLine[];
  commits: Map<string, BlamedCommit>;
}

/**
 * The commit that each line of a file came with, through `git blame`. Commits that the user has told git to ignore
 * (`blame.ignoreRevsFile`) are ignored; a list that is configured for all repositories may be missing in this one.
 * @param path from `dir`
 * @throws GitFailure where the file is unknown to git, no file, binary, or shorter than a range says
 */
export function blameOf(dir: string, path: string, options: BlameOptions = {}): Promise<Blame> {
  const { ranges, revision } = options;
  const version = revision === undefined ? fileVersion(dir, path) : fixedRevision.exec(revision)?.[0];
  const read = () => readBlame(dir, path, options);
  return version ? known.of(dir, JSON.stringify([path, version, ranges]), read) : read();
}

/** What a person ignores may be configured to lie anywhere. */
const known = new RepositoryCache<Blame>({
  max: 200,
  maxAgeMs: 60_000,
  fits: ({ lines }) => lines.length <= 5000,
});

/** Names the same commit for as long as HEAD and the objects are what they are. */
const fixedRevision = /^(?:HEAD|[0-9a-f]{40}|[0-9a-f]{64})[~^]?$/;

/** A file that changes twice within the time that the file system tells apart looks the same. Milliseconds. */
const settledMs = 2000;

/** Another text whenever a file in the working tree, or what is to be committed, changes; null where nobody can tell. */
function fileVersion(dir: string, path: string): string | null {
  const gitDir = gitDirectoryOf(dir);
  if (gitDir === null) return null;
  try {
    const { ctimeMs, mtimeMs, size, ino } = lstatSync(join(dir, path));
    if (Date.now() - Math.max(ctimeMs, mtimeMs) < settledMs) return null;
    const others = ["index", "MERGE_HEAD"].map((name) => changeOf(join(gitDir, name)));
    return [ctimeMs, mtimeMs, size, ino, ...others].join();
  } catch {
    return null;
  }
}

async function readBlame(dir: string, path: string, options: BlameOptions): Promise<Blame> {
  const { prefix, cutOff } = await placeOf(dir, options.signal);
  try {
    return await blame(dir, path, { ...options, prefix, cutOff });
  } catch (error) {
    if (!isBrokenList(error)) throw error;
  }
  try {
    // Configured for all repositories, and not there in this one: git has no other way to do without.
    return await blame(dir, path, { ...options, prefix, cutOff, env: withoutGlobal });
  } catch (error) {
    if (!isBrokenList(error)) throw error;
    throw new GitFailure("failed", `git cannot use blame.ignoreRevsFile: ${error.message}`);
  }
}

const withoutGlobal = { GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: "1" };

function isBrokenList(error: unknown): error is GitFailure {
  return error instanceof GitFailure && /object name/i.test(error.message);
}

interface Asked extends BlameOptions {
  prefix: string;
  cutOff: ReadonlySet<string>;
  env?: NodeJS.ProcessEnv;
}

async function blame(dir: string, path: string, asked: Asked): Promise<Blame> {
  const { ranges = [], revision, signal, prefix, cutOff, env } = asked;
  if (revision !== undefined && (revision === "" || revision.startsWith("-"))) {
    throw new GitFailure("failed", `${JSON.stringify(revision)} is not a revision`);
  }
  const args = [
    ...[...plain, "-c", "blame.showRoot=false", "-c", "blame.markIgnoredLines=false"],
    ...["blame", "--porcelain", "--encoding=UTF-8", "--no-textconv", "--no-progress"],
    ...ranges.flatMap(([first, last]) => ["-L", `${first},${last}`]),
    ...(revision === undefined ? [] : [revision]),
    ...["--", path],
  ];
  const reader = new BlameReader(prefix, cutOff);
  for await (const lines of linesOf(gitBytes(dir, args, { signal, env: { ...plainEnvironment, ...env } }))) {
    for (const line of lines) reader.read(line);
    if (reader.isBinary) throw new GitFailure("failed", `${JSON.stringify(path)} is binary`);
  }
  return reader.result();
}
