import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { LRUCache } from "lru-cache";
import { getErrorCode } from "../../base/errors.ts";
import { isValidAs } from "../../protocol/outside.ts";
import {
  GitFailure,
  plain,
  plainDiff,
  plainEnvironment,
  plainPatch,
  readGitBuffer,
  readGitBytes,
  readGitText,
} from "../git.ts";
import { findGitDirectory } from "../git-dir.ts";
import { splitLines } from "../output-lines.ts";
import type { ChangedFile } from "./changes-types.ts";
import { maxLineLength, parsePatch } from "./parse-patch.ts";

/** A commit's own changes, or the difference between two revisions. */
export type WhatChanged = { commit: string } | { from: string; to: string | null };

interface ChangesOptions {
  signal?: AbortSignal | undefined;
  /** Only files at or below these paths, relative to `dir`. A file renamed to one of them counts as new. */
  paths?: readonly string[] | undefined;
}

/**
 * What a commit changed relative to its parent, or the difference between two revisions; `to: null` is the working tree
 * without untracked files. For a merge, what no parent has; for a root commit, everything; at the boundary of a shallow
 * clone, nothing, because it is unknown.
 *
 * Copies count as new files, as in git blame. Files are yielded one by one, so that memory holds the lines of one file
 * only.
 * @param dir a working tree or a directory in it; files outside of it are omitted
 * @throws GitFailure
 */
export async function* streamChangedFiles(
  dir: string,
  what: WhatChanged,
  { signal, paths }: ChangesOptions = {},
): AsyncGenerator<ChangedFile, void, undefined> {
  if (paths?.length === 0) return;
  const { prefix, cutOff } = await findPlaceInRepository(dir, signal);
  if ("commit" in what && cutOff.size > 0 && cutOff.has(await resolveHash(dir, what.commit, signal))) return;
  const within = paths ?? (prefix === "" ? [] : ["."]);
  const args = [...plain, ...makeDiffCommand(what), ...plainDiff, "--", ...within];
  const lines = splitLines(readGitBytes(dir, args, { signal, env: plainEnvironment }), maxLineLength);
  yield* keepBelow(prefix, parsePatch(lines));
}

/** Paths become relative to the prefix; files elsewhere are left out. */
async function* keepBelow(
  prefix: string,
  files: AsyncIterable<ChangedFile>,
): AsyncGenerator<ChangedFile, void, undefined> {
  for await (const file of files) {
    if (!file.path.startsWith(prefix)) continue;
    const { oldPath } = file;
    yield {
      ...file,
      path: file.path.slice(prefix.length),
      oldPath: oldPath?.startsWith(prefix) ? oldPath.slice(prefix.length) : null,
    };
  }
}

/**
 * `streamChangedFiles` for many commits through one git process: each commit with its files, in the order of the hashes. A
 * commit's files must be read before the next commit is asked for.
 * @param hashes whole hashes
 * @throws GitFailure also where git lacks objects of one of them (a partial clone)
 */
export async function* streamChangedFilesOfEach(
  dir: string,
  hashes: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<{ hash: string; files: AsyncIterable<ChangedFile> }, void, undefined> {
  const { prefix, cutOff } = await findPlaceInRepository(dir, signal);
  const args = [
    ...plain,
    "diff-tree",
    "--stdin",
    "--always",
    "-r",
    "-c",
    "--root",
    "--raw",
    "-p",
    "-U0",
    ...plainDiff,
    "--",
    ...(prefix === "" ? [] : ["."]),
  ];
  const stdin = hashes.filter((hash) => !cutOff.has(hash)).map((hash) => `${hash}\n`);
  const output = splitLines(readGitBytes(dir, args, { signal, stdin, env: plainEnvironment }), maxLineLength);
  const parts = new PartReader(output);
  try {
    for (const hash of hashes) {
      const lines = cutOff.has(hash) ? yieldNothing() : parts.readLinesAfter(hash);
      yield { hash, files: keepBelow(prefix, parsePatch(lines)) };
    }
  } finally {
    await output.return();
  }
}

async function* yieldNothing(): AsyncGenerator<string[], void, undefined> {}

/** Divides the output of `diff-tree --stdin` at the lines that name a commit; no line of a patch looks like that. */
class PartReader {
  private pending: string[] = [];

  constructor(private readonly output: AsyncIterator<string[], void, undefined>) {}

  /** The lines after the one that names this commit, up to the next commit's. */
  async *readLinesAfter(hash: string): AsyncGenerator<string[], void, undefined> {
    let isInside = false;
    for (;;) {
      if (this.pending.length === 0) {
        const { value, done } = await this.output.next();
        if (done) return;
        this.pending = value;
      }
      if (!isInside) {
        // Git leaves out what is no commit.
        if (this.pending[0] !== hash) return;
        this.pending = this.pending.slice(1);
        isInside = true;
      }
      const end = this.pending.findIndex((line) => isValidAs("commit", line));
      const lines = end === -1 ? this.pending : this.pending.slice(0, end);
      this.pending = end === -1 ? [] : this.pending.slice(end);
      if (lines.length > 0) yield lines;
      if (end !== -1) return;
    }
  }
}

/**
 * A file's path before a commit or the working tree renamed it; null if it was not renamed, or came from outside of
 * `dir`.
 * @throws GitFailure
 */
export async function nameBefore(
  dir: string,
  what: WhatChanged,
  path: string,
  signal?: AbortSignal,
): Promise<string | null> {
  const { prefix } = await findPlaceInRepository(dir, signal);
  const args = [
    ...plain,
    ...makeDiffCommand(what, ["--name-status", "-z"]),
    ...plainDiff,
    "--diff-filter=R",
    "--",
  ];
  const bytes = await readGitBuffer(dir, args, { signal, env: plainEnvironment });
  const fields = bytes.toString().split("\0");
  const at = fields.findIndex((name, i) => name === prefix + path && /^R\d+$/.test(fields[i - 2] ?? ""));
  const before = fields[at - 1];
  return before?.startsWith(prefix) ? before.slice(prefix.length) : null;
}

function makeDiffCommand(what: WhatChanged, shown = ["--raw", "-p", "-U0"]): string[] {
  if ("commit" in what) {
    return ["diff-tree", "-r", "-c", "--root", "--no-commit-id", ...shown, requireRevision(what.commit)];
  }
  const { from, to } = what;
  if (to === null) return ["diff", ...shown, requireRevision(from)];
  return ["diff-tree", "-r", ...shown, requireRevision(from), requireRevision(to)];
}

function requireRevision(name: string): string {
  if (!isValidAs("revision", name))
    throw new GitFailure("failed", `${JSON.stringify(name)} is not a revision`);
  return name;
}

function resolveHash(dir: string, revision: string, signal?: AbortSignal): Promise<string> {
  return readGitText(
    dir,
    ["rev-parse", "--verify", "--quiet", `${requireRevision(revision)}^{commit}`],
    signal,
  );
}

/** Cache time for directories without a working tree (bare repositories). Milliseconds. */
const cacheMs = 30_000;
/** Cached, so that a thousand commits need one lookup; valid while `gitDir` is the same. */
const places = new LRUCache<string, { gitDir: string | null; prefix: string; shallow: string }>({ max: 100 });

/**
 * The path of `dir` in its working tree ("" at the top, else with a final slash), and the commits whose parents a
 * shallow clone lacks.
 */
export async function findPlaceInRepository(
  dir: string,
  signal?: AbortSignal,
): Promise<{ prefix: string; cutOff: ReadonlySet<string> }> {
  const gitDir = findGitDirectory(dir);
  let place = places.get(dir);
  if (place === undefined || place.gitDir !== gitDir) {
    const text = await readGitText(dir, ["rev-parse", "--show-prefix", "--git-path", "shallow"], signal);
    const end = text.lastIndexOf("\n");
    place = {
      gitDir,
      prefix: text.slice(0, Math.max(0, end)),
      shallow: resolve(dir, text.slice(end + 1)),
    };
    places.set(dir, place, { ttl: gitDir === null ? cacheMs : 0 });
  }
  return { prefix: place.prefix, cutOff: readHashes(place.shallow) };
}

function readHashes(file: string): ReadonlySet<string> {
  try {
    return new Set(readFileSync(file, "utf8").split("\n").filter(Boolean));
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return new Set();
    throw error;
  }
}

/**
 * Each commit's patch id, by hash: equal for a commit and its rebased or cherry-picked copies, wherever their lines
 * moved. Merges, empty commits and unknown ones have none.
 * @throws GitFailure
 */
export async function computePatchIds(
  dir: string,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  if (hashes.length === 0) return ids;
  const diff = [...plain, "diff-tree", "--stdin", "--root", "-r", "-p", "-U3", "--no-renames", ...plainPatch];
  let failure: unknown = null;
  async function* readPatches() {
    try {
      yield* readGitBytes(dir, diff, {
        signal,
        stdin: hashes.map((hash) => `${hash}\n`),
        env: plainEnvironment,
      });
    } catch (error) {
      failure = error;
    }
  }
  for await (const lines of splitLines(
    readGitBytes(dir, ["patch-id", "--stable"], { signal, stdin: readPatches() }),
  )) {
    for (const line of lines) {
      const [id, hash] = line.split(" ");
      if (id !== undefined && hash !== undefined) ids.set(hash, id);
    }
  }
  if (failure !== null) throw failure;
  return ids;
}
