import { type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import type { FileStamp, SkipReason } from "../../store/index/records.ts";
import type { Exclusion, IgnoreRules } from "./ignore.ts";
import type { Nested } from "./nested.ts";

/** A scanned entry. Skipped directories (vendored, nested, unreadable) and files are reported, ignored ones are not. */
type ScanItem = { kind: "file"; stamp: FileStamp } | { kind: "skipped"; path: string; reason: SkipReason };

type Met =
  | { kind: "file"; path: string }
  | { kind: "leftOut"; path: string; reason: Exclusion | "unreadable" }
  /** One that is entered; what it holds follows. With a repository of its own it is a submodule, for example. */
  | { kind: "directory"; path: string; isRepository: boolean };

/** Errors for entries that disappeared. */
const goneCodes = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ESTALE"]);
/** Failures of the whole process, not of one directory: continuing would make files look deleted. */
const exhaustedCodes = new Set(["EMFILE", "ENFILE", "ENOMEM"]);

/** Long synchronous work that lets the event loop take its turn in between. */
class Turns {
  /** Maximum time before that. Milliseconds. */
  private static readonly lengthMs = 8;
  private ends = performance.now() + Turns.lengthMs;

  isOver(): boolean {
    return performance.now() > this.ends;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.ends = performance.now() + Turns.lengthMs;
  }
}

/**
 * Walks the project and yields its files in a stable order, directory by directory. Links are not followed: targets
 * inside the project are scanned themselves, and loops are impossible. Pipes, sockets and devices are skipped. Entries
 * that disappear during the walk are no error.
 *
 * Reads directories synchronously, several times faster than through the thread pool, and lets the event loop take its
 * turn in between.
 *
 * @param below only what lies in this directory (relative to the root)
 * @throws PommelError `unreadable`: the root itself cannot be read, or the process has run out of files
 */
export async function* scanProject(
  root: string,
  rules: IgnoreRules,
  below = "",
): AsyncGenerator<ScanItem, void, undefined> {
  const turns = new Turns();
  for (const met of walk(root, rules, below)) {
    if (turns.isOver()) await turns.next();
    if (met.kind === "directory") continue;
    const item = met.kind === "file" ? readScanItem(root, met.path) : makeSkippedItem(met.path, met.reason);
    if (item !== null) yield item;
  }
}

/** What a path is now: a file, by its stamp, a directory, or nothing that is scanned (null). */
export function readPathState(root: string, path: string): FileStamp | "directory" | null {
  const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (stat?.isDirectory()) return "directory";
  return stat?.isFile() ? makeFileStamp(path, stat) : null;
}

const makeFileStamp = (path: string, { size, mtimeMs }: Stats): FileStamp => ({
  path,
  size,
  mtimeMs: Math.trunc(mtimeMs),
});

/** The directories a scan does not enter, by absolute path: what a watcher need not watch. Errors and turns as `scanProject`. */
export async function listIgnoredDirectories(root: string, rules: IgnoreRules): Promise<string[]> {
  const found: string[] = [];
  const turns = new Turns();
  for (const met of walk(root, rules, "", false)) {
    if (turns.isOver()) await turns.next();
    if (met.kind === "leftOut") found.push(join(root, met.path));
  }
  return found;
}

/** A directory with a repository or a Pommel project of its own, inside a project. */
export interface NestedDirectory {
  /** From the project's root. */
  path: string;
  /** A repository's code is indexed with the project, the others' is not. */
  kind: "repository" | Nested;
}

/** Repositories, projects and worktrees inside a project. Errors as `scanProject`. */
export function listNestedDirectories(root: string, rules: IgnoreRules): NestedDirectory[] {
  return [...walk(root, rules, "", false)].flatMap((met): NestedDirectory[] => {
    if (met.kind === "directory") return met.isRepository ? [{ path: met.path, kind: "repository" }] : [];
    const isNested = met.kind === "leftOut" && (met.reason === "nested_project" || met.reason === "worktree");
    return isNested ? [{ path: met.path, kind: met.reason as Nested }] : [];
  });
}

function* walk(root: string, rules: IgnoreRules, below: string, withFiles = true): Generator<Met> {
  if (below !== "") {
    const verdict = rules.check(below, true);
    if (verdict !== null) return yield { kind: "leftOut", path: below, reason: verdict };
  }
  const waiting = [below];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const entries = readDirectoryEntries(root, directory);
    if (entries === "gone") continue;
    if (entries === "unreadable") {
      yield { kind: "leftOut", path: directory, reason: "unreadable" };
      continue;
    }
    const isRepository = directory !== "" && entries.some(({ name }) => name === ".git");
    yield { kind: "directory", path: directory, isRepository };
    const judge = rules.within(directory);
    const directories: string[] = [];
    for (const entry of entries) {
      const isDirectory = entry.isDirectory();
      if (!isDirectory && !(withFiles && entry.isFile())) continue;
      const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
      const verdict = judge(entry.name, isDirectory);
      if (verdict === null && isDirectory) directories.push(path);
      else if (verdict === null) yield { kind: "file", path };
      else if (isDirectory) yield { kind: "leftOut", path, reason: verdict };
    }
    waiting.push(...directories.reverse());
  }
}

function readDirectoryEntries(root: string, directory: string): Dirent[] | "gone" | "unreadable" {
  try {
    const entries = readdirSync(join(root, directory), { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const code = getErrorCode(error);
    if (directory === "" || exhaustedCodes.has(code)) {
      const hint = directory === "" ? "Is the directory still there, and may you read it?" : "";
      throw new PommelError("unreadable", `Cannot read ${root}: ${getErrorMessage(error)}`, hint, {
        cause: error,
      });
    }
    return goneCodes.has(code) && !isMangled(directory) ? "gone" : "unreadable";
  }
}

function readScanItem(root: string, path: string): ScanItem | null {
  try {
    const stat = lstatSync(join(root, path));
    return stat.isFile() ? { kind: "file", stamp: makeFileStamp(path, stat) } : null;
  } catch (error) {
    if (goneCodes.has(getErrorCode(error)) && !isMangled(path)) return null;
    return { kind: "skipped", path, reason: "unreadable" };
  }
}

/** An invalid UTF-8 name contains replacement characters and cannot be opened. */
function isMangled(path: string): boolean {
  return path.includes("\ufffd");
}

function makeSkippedItem(path: string, reason: Exclusion | "unreadable"): ScanItem | null {
  return reason === "ignored" ? null : { kind: "skipped", path, reason };
}
