import { createHash } from "node:crypto";
import { readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { PommelError } from "../../base/errors.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { GitFailure, makeConfigArguments, mayFetch, plain, readGitBuffer } from "../git.ts";
import {
  type BytePath,
  isPlainText,
  joinBytePath,
  listAssumedUnchanged,
  listOverwritten,
  listTreeChanges,
  listUncommitted,
  readFileKind,
  type TreeChange,
  type TreeEntry,
  toShownPath,
} from "./obstacles.ts";
import type { WorkingTree } from "./repository.ts";

/** The result of a restore. */
export interface Restored {
  /** false: the working tree matched the commit already. */
  changed: boolean;
  /** Files that were written or removed. */
  files: number;
  /** The command that undoes the restore, anywhere in the working tree; null: nothing changed. */
  comeBack: string | null;
  /** Submodules whose commit now differs; they are left as they are. */
  submodules: string[];
}

/** Files to name in a hint. */
const filesNamed = 5;

/**
 * Sets index and working tree to a commit; HEAD and branches stay, so the difference is staged. Refuses when
 * uncommitted work would be lost.
 * @throws PommelError `uncommitted_changes`; `usage` in a bare repository; `locked` while another git is at work;
 *   `unreadable` when git fails half-way
 */
export async function restoreTo(tree: WorkingTree, commit: string): Promise<Restored> {
  const { top, gitDir, head, inProgress } = tree;
  if (tree.isBare) {
    throw new PommelError(
      "usage",
      "A bare repository has no working tree to restore.",
      "Use --worktree DIR.",
    );
  }
  if (inProgress !== null) {
    throw makeUncommittedError(`git is in the middle of ${inProgress}: finish or abort it first.`);
  }
  const changes = await listTreeChanges(top, commit);
  const dirty = await listUncommitted(top);
  const isThere = changes.length === 0 && dirty.every((file) => !file.isUnstaged || file.isSubmodule);
  if (isThere) {
    endRestore(gitDir);
    return { changed: false, files: 0, comeBack: null, submodules: [] };
  }
  const lost = await listOverwritten(top, changes);
  const hidden = await listChangedUnseen(top, changes);
  const interrupted = readInterruptedRestore(gitDir);
  const isGoingOn = interrupted?.commit === commit && interrupted.head === head;
  const notCommitted = [...dirty.map(({ path }) => path), ...hidden];
  const obstacles = [...notCommitted, ...lost];
  const isOwnWork =
    isGoingOn && dirty.every(({ isStaged }) => !isStaged) && (await isLeftOver(top, obstacles, changes));
  if (obstacles.length > 0 && !isOwnWork) {
    const first = interrupted
      ? `A restore to ${shortenHash(interrupted.commit)} was interrupted; \`pm checkpoint rewind ${shortenHash(interrupted.commit)} --restore\` continues it unless files changed since. `
      : "";
    throw makeUncommittedError(first + describeObstacles(notCommitted, lost));
  }
  beginRestore(gitDir, { head, commit });
  await checkOut(tree, commit, isOwnWork);
  endRestore(gitDir);
  return {
    changed: true,
    files: changes.length,
    comeBack: head === null ? "git rm -r -f --quiet :/" : "git reset --hard HEAD",
    submodules: changes.flatMap(({ path, to }) => (to?.isSubmodule ? toShownPath(path) : [])),
  };
}

function makeUncommittedError(hint: string): PommelError {
  return new PommelError("uncommitted_changes", "Commit or stash your changes first.", hint);
}

function describeObstacles(dirty: readonly BytePath[], lost: readonly BytePath[]): string {
  const parts = [
    dirty.length > 0 ? `Not committed: ${formatPaths(dirty)}.` : "",
    lost.length > 0
      ? `Not tracked by git, and would be overwritten: ${formatPaths(lost)}; move them away.`
      : "",
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function formatPaths(paths: readonly BytePath[]): string {
  const unique = [...new Set(paths)];
  const more = unique.length > filesNamed ? ` and ${unique.length - filesNamed} more` : "";
  return unique.slice(0, filesNamed).map(toShownPath).join(", ") + more;
}

/** As `git checkout` does, with attributes, sparse checkouts and directories that become files. */
async function checkOut({ top, head }: WorkingTree, commit: string, overOwnWork: boolean): Promise<void> {
  // The user asked for it, so fetching what a partial clone lacks is fine.
  const env = mayFetch;
  const git = async (...args: string[]) =>
    (
      await readGitBuffer(
        top,
        [...plain, ...makeConfigArguments({ "submodule.recurse": "false" }), ...args],
        { env },
      )
    )
      .toString()
      .trim();
  try {
    // Files with new times but the same content are no obstacle.
    await git("update-index", "-q", "--refresh").catch((error: unknown) => {
      if (isLock(error)) throw error;
    });
    if (overOwnWork) await git("read-tree", "--reset", "-u", commit);
    else
      await git("read-tree", "-m", "-u", head ?? (await git("hash-object", "-t", "tree", "--stdin")), commit);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    if (error.isBroken) throw error;
    if (/would be overwritten|not uptodate|would lose/.test(error.message))
      throw makeUncommittedError(`git failed: ${error.message}.`);
    throw new PommelError(
      "unreadable",
      `git could not restore all of it: ${error.message}.`,
      "Fix that, then run the command again. It continues where it stopped.",
      { cause: error },
    );
  }
}

const isLock = (error: unknown) => error instanceof GitFailure && error.reason === "locked";

/**
 * A killed restore leaves some files of the commit, some from before, and an index that matches neither.
 * A note in git's own directory tells such files from those that somebody wrote.
 */
const note = z.object({ head: z.nullable(z.string()), commit: z.string() });
type RestoreNote = z.infer<typeof note>;

const noteIn = (gitDir: string) => join(gitDir, "pommel-rewind.json");

function beginRestore(gitDir: string, begun: RestoreNote): void {
  writeFileSync(noteIn(gitDir), JSON.stringify(begun));
}

function endRestore(gitDir: string): void {
  rmSync(noteIn(gitDir), { force: true });
}

/** The restore that did not come to its end; null: there is none. */
function readInterruptedRestore(gitDir: string): RestoreNote | null {
  try {
    return note.parse(JSON.parse(readFileSync(noteIn(gitDir), "utf8")));
  } catch {
    return null;
  }
}

/**
 * Whether files hold nothing but what an interrupted restore left there: the content of before or of after, the
 * beginning of the latter, or nothing.
 * @throws GitFailure
 */
async function isLeftOver(
  top: string,
  paths: readonly BytePath[],
  changes: readonly TreeChange[],
): Promise<boolean> {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  for (const path of new Set(paths)) {
    const change = byPath.get(path);
    if (!change || !(await isEitherVersion(top, path, change))) return false;
  }
  return true;
}

async function isEitherVersion(top: string, path: BytePath, { from, to }: TreeChange): Promise<boolean> {
  const file = joinBytePath(top, path);
  const kind = readFileKind(file);
  if (kind === null) return true;
  if (kind === "file" && isPlainText(path)) {
    const content = readFileSync(file);
    if ((await readCheckedOut(top, path, to))?.subarray(0, content.length).equals(content)) return true;
  }
  return (await isAsIn(top, path, from)) || (await isAsIn(top, path, to));
}

/** Whether the file holds what the tree has. */
async function isAsIn(top: string, path: BytePath, entry: TreeEntry | null): Promise<boolean> {
  const file = joinBytePath(top, path);
  const kind = readFileKind(file);
  if (kind === "link") {
    if (!entry?.isLink) return false;
    return computeBlobId(readlinkSync(file, { encoding: "buffer" }), entry.id) === entry.id;
  }
  if (kind !== "file" || !isPlainText(path)) return false;
  return (await readCheckedOut(top, path, entry))?.equals(readFileSync(file)) ?? false;
}

/**
 * Files that a restore would overwrite and that git does not look at, as they are marked assume-unchanged. It goes by
 * size and second alone then: a change in the second in which the index was written is lost.
 * @throws GitFailure
 */
async function listChangedUnseen(top: string, changes: readonly TreeChange[]): Promise<BytePath[]> {
  const assumed = new Set(await listAssumedUnchanged(top));
  const changed: BytePath[] = [];
  for (const { path, from } of changes) {
    if (from === null || from.isSubmodule || !assumed.has(path)) continue;
    if (readFileKind(joinBytePath(top, path)) !== null && !(await isAsIn(top, path, from)))
      changed.push(path);
  }
  return changed;
}

/** The bytes of a file as a checkout writes them, with line ends and filters. */
async function readCheckedOut(top: string, path: BytePath, entry: TreeEntry | null): Promise<Buffer | null> {
  if (!entry || entry.isLink || entry.isSubmodule) return null;
  return readGitBuffer(top, [...plain, "cat-file", "--filters", `--path=${toShownPath(path)}`, entry.id]);
}

/** The object id that git gives to a blob; SHA-1 or SHA-256, as `like`. */
function computeBlobId(content: Buffer, like: string): string {
  const hash = createHash(like.length === 40 ? "sha1" : "sha256");
  return hash.update(`blob ${content.length}\0`).update(content).digest("hex");
}
