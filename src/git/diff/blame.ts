import { existsSync, lstatSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { readChangeStamp } from "../../base/files/file-id.ts";
import { findUpwards } from "../../base/paths.ts";
import {
  GitFailure,
  makeConfigArguments,
  plain,
  plainEnvironment,
  readGitBytes,
  readGitFields,
} from "../git.ts";
import { findGitDirectory } from "../git-dir.ts";
import { splitLines, unquotePath } from "../output-lines.ts";
import { RepositoryCache } from "../repository-cache.ts";
import { findPlaceInRepository } from "./changes.ts";
import type { BlamedCommit, BlamedLine } from "./changes-types.ts";

interface BlameOptions {
  /** First and last line of each range, 1-based; default: the whole file. */
  ranges?: readonly (readonly [number, number])[] | undefined;
  /** Default: the working tree. Of "from..to" git looks at no older commit: lines from before are marked as at a boundary. */
  revision?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface Blame {
  /** In the file's order. */
  lines: BlamedLine[];
  commits: Map<string, BlamedCommit>;
  /** What of the configuration git could not follow. */
  note: string | null;
}

/**
 * The commit that introduced each line of a file, through `git blame`. Respects `blame.ignoreRevsFile`, as far as
 * git can read it.
 * @param path relative to `dir`
 * @throws GitFailure for untracked or binary files, directories, and ranges beyond the end
 */
export function blameFile(dir: string, path: string, options: BlameOptions = {}): Promise<Blame> {
  const { ranges, revision } = options;
  const version = revision === undefined ? readFileVersion(dir, path) : fixedRevision.exec(revision)?.[0];
  const read = () => readBlame(dir, path, options);
  return version ? cache.getOrAsk(dir, JSON.stringify([path, version, ranges]), read) : read();
}

/** Expires, because the list of ignored revisions may be any file. */
const cache = new RepositoryCache<Blame>({
  max: 200,
  maxAgeMs: 60_000,
  fits: ({ lines }) => lines.length <= 5000,
});

/** Revisions that name the same commit while HEAD and the objects stay the same. */
const fixedRevision = /^(?:(?:[0-9a-f]{40}|[0-9a-f]{64})\.\.)?(?:HEAD|[0-9a-f]{40}|[0-9a-f]{64})[~^]?$/;

/** Two changes within the file system's time resolution look like one. Milliseconds. */
const settledMs = 2000;

/** Changes whenever the file or the index changes; null when unknown. */
function readFileVersion(dir: string, path: string): string | null {
  const gitDir = findGitDirectory(dir);
  if (gitDir === null) return null;
  try {
    const { ctimeMs, mtimeMs, size, ino } = lstatSync(join(dir, path));
    if (Date.now() - Math.max(ctimeMs, mtimeMs) < settledMs) return null;
    const others = ["index", "MERGE_HEAD"].map((name) => readChangeStamp(join(gitDir, name)));
    return [ctimeMs, mtimeMs, size, ino, ...others].join();
  } catch {
    return null;
  }
}

async function readBlame(dir: string, path: string, options: BlameOptions): Promise<Blame> {
  const request = { ...options, ...(await findPlaceInRepository(dir, options.signal)) };
  try {
    return await blame(dir, path, request);
  } catch (error) {
    if (!isBrokenList(error)) throw error;
  }
  const { lists, missing } = await findIgnoreLists(dir, options.signal);
  const note = missing === null ? null : describeUnusedIgnoreFile(`${missing} does not exist`);
  try {
    return { ...(await blame(dir, path, { ...request, lists })), note };
  } catch (error) {
    if (!isBrokenList(error)) throw error;
    return {
      ...(await blame(dir, path, { ...request, lists: [] })),
      note: describeUnusedIgnoreFile(error.message),
    };
  }
}

const describeUnusedIgnoreFile = (why: string) =>
  `git cannot use blame.ignoreRevsFile (${why}): commits that it ignores are not left out.`;

function isBrokenList(error: unknown): error is GitFailure {
  return error instanceof GitFailure && /object name/i.test(error.message);
}

/**
 * The lists of ignored commits that are there, and the name of one that is not. One that is named for all repositories
 * may be missing in this one.
 */
async function findIgnoreLists(
  dir: string,
  signal?: AbortSignal,
): Promise<{ lists: string[]; missing: string | null }> {
  const top = findUpwards(dir, ".git") ?? dir;
  const lists: string[] = [];
  let missing: string | null = null;
  const args = ["config", "--includes", "--show-scope", "--type=path", "-z", "--get-all"];
  const fields = readGitFields(dir, [...args, "blame.ignoreRevsFile"], signal);
  for await (const scope of fields) {
    const name = (await fields.next()).value ?? "";
    if (name === "") continue;
    if (existsSync(resolve(top, name))) lists.push(resolve(top, name));
    else if (scope !== "global" && scope !== "system") missing = name;
  }
  return { lists, missing };
}

interface BlameRequest extends BlameOptions {
  prefix: string;
  cutOff: ReadonlySet<string>;
  /** Lists of ignored commits, instead of the configured ones. */
  lists?: readonly string[];
}

async function blame(dir: string, path: string, request: BlameRequest): Promise<Blame> {
  const { ranges = [], revision, signal, prefix, cutOff, lists } = request;
  if (revision !== undefined && (revision === "" || revision.startsWith("-"))) {
    throw new GitFailure("failed", `${JSON.stringify(revision)} is not a revision`);
  }
  const args = [
    ...plain,
    ...makeConfigArguments({ "blame.showRoot": "false", "blame.markIgnoredLines": "false" }),
    "blame",
    "--porcelain",
    "--encoding=UTF-8",
    "--no-textconv",
    "--no-progress",
    ...(lists === undefined
      ? []
      : ["--no-ignore-revs-file", ...lists.map((list) => `--ignore-revs-file=${list}`)]),
    ...ranges.flatMap(([first, last]) => ["-L", `${first},${last}`]),
    ...(revision === undefined ? [] : [revision]),
    "--",
    path,
  ];
  const isBounded = revision?.includes("..") === true;
  const reader = new BlameReader(prefix, (hash) => isBounded || cutOff.has(hash));
  for await (const lines of splitLines(readGitBytes(dir, args, { signal, env: plainEnvironment }))) {
    for (const line of lines) reader.read(line);
    if (reader.isBinary) throw new GitFailure("failed", `${JSON.stringify(path)} is binary`);
  }
  return reader.toBlame();
}

const lineHeader = /^([0-9a-f]{40}|[0-9a-f]{64}) (\d+) (\d+)/;

/** Git reports a commit's facts once, with its first line; the path again for each file. */
interface CommitFacts extends BlamedCommit {
  path: string;
  isBoundary: boolean;
}

/** Reads what `git blame --porcelain` writes, line by line. */
class BlameReader {
  /** A file that is no text. */
  isBinary = false;
  private readonly lines: BlamedLine[] = [];
  private readonly byHash = new Map<string, CommitFacts>();
  private current: CommitFacts | null = null;
  private hash = "";
  private originalLine = 0;
  private line = 0;

  constructor(
    /** The path of the requested directory in its working tree. */
    private readonly prefix: string,
    /** Whether git was not to look, or could not look, at the parents of a commit. Without that it ends at roots as well. */
    private readonly isCutOff: (hash: string) => boolean,
  ) {}

  read(text: string): void {
    if (text.startsWith("\t")) this.takeLine(text.slice(1));
    else this.readFact(text);
  }

  toBlame(): Blame {
    const commits = new Map<string, BlamedCommit>();
    for (const [hash, { author, authoredAt, summary }] of this.byHash) {
      if (isCommit(hash)) commits.set(hash, { author, authoredAt, summary });
    }
    return { lines: this.lines, commits, note: null };
  }

  private takeLine(text: string): void {
    if (text.includes("\0")) this.isBinary = true;
    const { hash, line, originalLine, current } = this;
    if (current === null) return;
    const commit = isCommit(hash) ? hash : null;
    const { path: originalPath, isBoundary } = current;
    this.lines.push({ line, commit, originalLine, originalPath, isBoundary, text });
  }

  private readFact(text: string): void {
    const header = lineHeader.exec(text);
    if (header) {
      this.hash = header[1]!;
      this.originalLine = Number(header[2]);
      this.line = Number(header[3]);
      this.current = this.byHash.get(this.hash) ?? null;
      if (this.current === null) {
        this.current = { author: "", authoredAt: 0, summary: "", path: "", isBoundary: false };
        this.byHash.set(this.hash, this.current);
      }
      return;
    }
    const { current } = this;
    if (current === null) return;
    const space = text.indexOf(" ");
    const name = space === -1 ? text : text.slice(0, space);
    const value = space === -1 ? "" : text.slice(space + 1);
    if (name === "author") current.author = value;
    else if (name === "author-time") current.authoredAt = Number(value) * 1000;
    else if (name === "summary") current.summary = value;
    else if (name === "filename") current.path = this.toRelativePath(unquotePath(value));
    // git also marks root commits as boundaries.
    else if (name === "boundary") current.isBoundary = this.isCutOff(this.hash);
  }

  private toRelativePath(path: string): string {
    if (path.startsWith(this.prefix)) return path.slice(this.prefix.length);
    return posix.relative(this.prefix, path);
  }
}

/** Uncommitted lines have a hash of zeros. */
function isCommit(hash: string): boolean {
  return !/^0+$/.test(hash);
}
