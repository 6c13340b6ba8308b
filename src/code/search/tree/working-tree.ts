import { existsSync } from "node:fs";
import { join } from "node:path";
import { GitFailure, readGitFields } from "../../../git/git.ts";
import type { FileStamp } from "../../../store/index/records.ts";
import { type IgnoreRules, ownIgnoreFile } from "../../files/ignore.ts";
import { classifyPath } from "../../files/path-role.ts";
import { readPathState, scanProject } from "../../files/scan.ts";
import type { TrackedEntry } from "../../files/tracked.ts";
import type { SoughtPart } from "../verbatim/part-counts.ts";
import { weights } from "../weights.ts";

/** A file, and whether its text or its path may have one of the words. What has none is looked at by its path alone. */
export interface ListedFile {
  stamp: FileStamp;
  mayHold: boolean;
}

/** Where git had no time for all, what it has found comes first. */
const foundFirst = 1;

export interface ListedTree {
  files: ListedFile[];
  /** Whether a file that may have a word is one that is indexed. */
  isIndexed(path: string): boolean;
  /** There may be more that git does not track: it took too long. */
  isCut: boolean;
}

/**
 * The files of a git working tree, as git lists them and looks for the words in them: several times faster than walking through the
 * directories and reading each. Those that may have one come first, sources before tests and documents.
 * @param tracked what git tracks there
 * @param limitMs git is stopped after so long; what it has not looked at may have any word
 * @returns null where git cannot tell
 */
export async function listWorkingTree(
  root: string,
  rules: IgnoreRules,
  tracked: readonly TrackedEntry[],
  words: readonly SoughtPart[],
  { limitMs, signal }: { limitMs: number; signal?: AbortSignal | undefined },
): Promise<ListedTree | null> {
  // These may name what git leaves out.
  if (tracked.length === 0 || existsSync(join(root, ownIgnoreFile))) return null;
  const late = limitMs > 0 ? AbortSignal.timeout(limitMs) : AbortSignal.abort();
  const stop = signal === undefined ? late : AbortSignal.any([signal, late]);
  const texts = words.flatMap(({ text }) => (text === "" ? [] : [text.toLowerCase()]));
  const holding = findFilesHolding(root, texts, stop);
  const untracked = listUntracked(root, stop);
  const known = tracked.filter(
    ({ path, isRepository, isLeftOut }) => !isRepository && !isLeftOut && !rules.ignoresByName(path),
  );
  const [found, others] = await Promise.all([holding, untracked]);
  signal?.throwIfAborted();
  if (found === null || others === null) return null;
  const isOwnRule = (path: string) => path.endsWith(`/${ownIgnoreFile}`);
  if (others.paths.some(isOwnRule) || known.some(({ path }) => isOwnRule(path))) return null;

  const isNamed = (path: string) => {
    const lower = path.toLowerCase();
    return texts.some((text) => lower.includes(text));
  };
  const lookedAt = found.isAll ? known.length : known.findIndex(({ path }) => path === found.last) + 1;
  const files = known.map(({ path, size, mtimeMs }, i): ListedFile => {
    const mayHold = i >= lookedAt || found.paths.has(path) || isNamed(path);
    return { stamp: { path, size, mtimeMs }, mayHold };
  });
  for (const path of others.paths) {
    const stamp = path.endsWith("/") || rules.ignoresByName(path) ? null : readPathState(root, path);
    if (stamp !== null && stamp !== "directory") files.push({ stamp, mayHold: true });
  }
  const repositories = [
    ...tracked.flatMap(({ path, isRepository }) => (isRepository ? [path] : [])),
    ...others.paths.flatMap((path) => (path.endsWith("/") ? [path.slice(0, -1)] : [])),
  ];
  for (const path of repositories)
    for await (const item of scanProject(root, rules, path))
      if (item.kind === "file") files.push({ stamp: item.stamp, mayHold: true });
  const rank = ({ stamp: { path }, mayHold }: ListedFile) =>
    mayHold ? weights.roles[classifyPath(path)] + (found.paths.has(path) ? foundFirst : 0) : -1;
  const ranked = files.map((file) => ({ file, rank: rank(file) })).sort((a, b) => b.rank - a.rank);
  return { files: ranked.map(({ file }) => file), isIndexed: createJudge(rules), isCut: !others.isAll };
}

/** Asks the rules of each directory once. */
function createJudge(rules: IgnoreRules): (path: string) => boolean {
  const judges = new Map<string, ReturnType<IgnoreRules["within"]>>();
  return (path) => {
    const nameAt = path.lastIndexOf("/") + 1;
    const directory = path.slice(0, Math.max(nameAt - 1, 0));
    let judge = judges.get(directory);
    if (judge === undefined) {
      judge = rules.within(directory);
      judges.set(directory, judge);
    }
    return judge(path.slice(nameAt), false) === null;
  };
}

/** The tracked files whose text has one of the texts, in any case and anywhere; null: git cannot tell. */
async function findFilesHolding(root: string, texts: readonly string[], signal: AbortSignal) {
  if (texts.length === 0) return { paths: new Set<string>(), last: "", isAll: true };
  const patterns = texts.flatMap((text) => ["-e", text]);
  const args = ["grep", "-z", "-l", "-I", "-i", "-F", "--no-recurse-submodules", ...patterns];
  const listed = await listPaths(root, args, signal);
  return listed && { ...listed, paths: new Set(listed.paths), last: listed.paths.at(-1) ?? "" };
}

/** What git neither tracks nor ignores: files, and repositories, which end with a slash; null: git cannot tell. */
const listUntracked = (root: string, signal: AbortSignal) =>
  listPaths(root, ["ls-files", "-z", "-o", "--exclude-standard"], signal);

/** @returns `isAll`: whether git came to its end; null: it failed */
async function listPaths(root: string, args: readonly string[], signal: AbortSignal) {
  const paths: string[] = [];
  try {
    signal.throwIfAborted();
    for await (const path of readGitFields(root, args, signal)) paths.push(path);
    return { paths, isAll: true };
  } catch (error) {
    if (signal.aborted) return { paths, isAll: false };
    if (!(error instanceof GitFailure)) throw error;
    // So `git grep` says that there is none.
    return error.exitStatus === 1 ? { paths, isAll: true } : null;
  }
}
