import { lstatSync } from "node:fs";
import { plain, readGitBuffer, readGitTextIfAny } from "../git.ts";

/**
 * Paths as git and the file system have them, which need not be UTF-8: each character is a byte (latin1). Taken for
 * another, a file would be overlooked, and overwritten.
 */
export type BytePath = string;

/** The fields of a git command's `-z` output. @throws GitFailure */
async function readByteFields(dir: string, args: readonly string[]): Promise<string[]> {
  const output = await readGitBuffer(dir, args, { filters: true });
  return output.toString("latin1").split("\0").slice(0, -1);
}

export const toShownPath = (path: BytePath): string => Buffer.from(path, "latin1").toString();

/** Whether the path can be handed to a program as an argument. */
export const isPlainText = (path: BytePath): boolean =>
  Buffer.from(toShownPath(path)).toString("latin1") === path;

/** As `node:fs` takes it. */
export const joinBytePath = (top: string, path: BytePath): Buffer =>
  Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, "latin1")]);

type FileKind = "directory" | "link" | "file" | "other";

/** What lies there; null: nothing. */
export function readFileKind(file: Buffer): FileKind | null {
  try {
    const stat = lstatSync(file);
    if (stat.isDirectory()) return "directory";
    return stat.isFile() ? "file" : stat.isSymbolicLink() ? "link" : "other";
  } catch {
    // Not there, or below something that is no directory.
    return null;
  }
}

/** A file that differs between the index and the tree that is to be. */
export interface TreeChange {
  path: BytePath;
  /** What is there before and after; null: nothing. */
  from: TreeEntry | null;
  to: TreeEntry | null;
}

export interface TreeEntry {
  isSubmodule: boolean;
  isLink: boolean;
  /** Object id. */
  id: string;
}

/**
 * How the index would have to change to be a commit's tree.
 * @throws GitFailure
 */
export async function listTreeChanges(top: string, commit: string): Promise<TreeChange[]> {
  const fields = await readByteFields(top, [
    ...plain,
    "diff-index",
    "--cached",
    "-R",
    "--raw",
    "--no-abbrev",
    "--no-renames",
    "-z",
    "-O/dev/null",
    "--ignore-submodules=none",
    commit,
    "--",
  ]);
  const changes: TreeChange[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [fromMode = "", toMode = "", fromId = "", toId = ""] = fields[i]!.slice(1).split(" ");
    changes.push({
      path: fields[i + 1]!,
      from: makeTreeEntry(fromMode, fromId),
      to: makeTreeEntry(toMode, toId),
    });
  }
  return changes;
}

function makeTreeEntry(mode: string, id: string): TreeEntry | null {
  if (mode === "000000") return null;
  return { isSubmodule: mode === "160000", isLink: mode === "120000", id };
}

/** A file that is not as it was committed: in the index, in the working tree, or in both. */
interface Uncommitted {
  path: BytePath;
  isStaged: boolean;
  isUnstaged: boolean;
  isSubmodule: boolean;
}

/**
 * Files that differ from the last commit, staged or not; in submodules whatever is not committed there.
 * @throws GitFailure
 */
export async function listUncommitted(top: string): Promise<Uncommitted[]> {
  const fields = await readByteFields(top, [
    ...plain,
    "status",
    "--porcelain=v2",
    "-z",
    "--untracked-files=no",
    "--no-renames",
    "--ignore-submodules=none",
  ]);
  return fields.flatMap((field) => {
    // Ordinary and unmerged entries: so many columns come before the path.
    const columns = field.startsWith("1 ") ? 8 : field.startsWith("u ") ? 10 : 0;
    if (columns === 0) return [];
    const [, states = "", module = "", ...rest] = field.split(" ");
    const path = rest.slice(columns - 3).join(" ");
    return [
      { path, isStaged: states[0] !== ".", isUnstaged: states[1] !== ".", isSubmodule: module[0] === "S" },
    ];
  });
}

/**
 * Files marked `git update-index --assume-unchanged`.
 * @throws GitFailure
 */
export async function listAssumedUnchanged(top: string): Promise<BytePath[]> {
  const fields = await readByteFields(top, [...plain, "ls-files", "-v", "-z"]);
  // A lower-case letter is the mark.
  return fields.flatMap((field) => (/^[a-z] /.test(field) ? [field.slice(2)] : []));
}

/**
 * Untracked files, including ignored ones, that a change would overwrite. git itself overwrites ignored ones.
 * @throws GitFailure
 */
export async function listOverwritten(top: string, changes: readonly TreeChange[]): Promise<BytePath[]> {
  const nameOf = (await isCaseIgnored(top)) ? (path: string) => path.toLowerCase() : (path: string) => path;
  // Files in a submodule are not the repository's to remove.
  const going = new Set(changes.flatMap(({ path, from }) => (from && !from.isSubmodule ? nameOf(path) : [])));
  const isGoing = (path: string) => going.has(nameOf(path));
  const lost = new Set<BytePath>();
  const parents = new Map<string, ParentKind>();
  for (const { path, from, to } of changes) {
    if (!to || (from && !from.isSubmodule)) continue;
    const parent = findBlockingParent(top, path, isGoing, parents);
    if (parent?.isLost) lost.add(parent.path);
    // Nothing is below a path that is not a directory.
    if (parent) continue;
    const kind = readFileKind(joinBytePath(top, path));
    if (kind === "directory") {
      if (!to.isSubmodule) for (const file of await listUntracked(top, path)) lost.add(file);
    } else if (kind !== null && !isGoing(path)) lost.add(path);
  }
  return [...lost].sort();
}

async function isCaseIgnored(top: string): Promise<boolean> {
  return (await readGitTextIfAny(top, ["config", "--type=bool", "--get", "core.ignorecase"])) === "true";
}

/** directory: no obstacle; going: tracked, will be removed; lost: untracked, would be lost. */
type ParentKind = "directory" | "going" | "lost";

function findBlockingParent(
  top: string,
  path: BytePath,
  isGoing: (path: BytePath) => boolean,
  known: Map<BytePath, ParentKind>,
): { path: BytePath; isLost: boolean } | null {
  for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
    const parent = path.slice(0, end);
    let kind = known.get(parent);
    if (kind === undefined) {
      kind = readParentKind(top, parent, isGoing);
      known.set(parent, kind);
    }
    if (kind !== "directory") return { path: parent, isLost: kind === "lost" };
  }
  return null;
}

function readParentKind(top: string, parent: BytePath, isGoing: (path: BytePath) => boolean): ParentKind {
  const kind = readFileKind(joinBytePath(top, parent));
  if (kind === null) return "directory";
  // A nested repository keeps its own files.
  if (kind === "directory") return isRepository(top, parent) ? "lost" : "directory";
  return isGoing(parent) ? "going" : "lost";
}

const isRepository = (top: string, directory: BytePath) =>
  readFileKind(joinBytePath(top, `${directory}/.git`)) !== null;

/** Untracked files in a directory; one entry for a nested repository or a name that is not valid UTF-8. */
async function listUntracked(top: string, directory: BytePath): Promise<BytePath[]> {
  if (!isPlainText(directory) || isRepository(top, directory)) return [`${directory}/`];
  return readByteFields(top, [...plain, "ls-files", "--others", "-z", "--", `${toShownPath(directory)}/`]);
}
