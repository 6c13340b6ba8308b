import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { readChangeStamp } from "../../base/files/file-id.ts";
import { findCommonGitDir, toRealPath } from "../../base/paths.ts";
import { GitFailure } from "../../git/git.ts";
import { findGitDirectory, locateHeadLog } from "../../git/git-dir.ts";
import { readHeadStamp } from "../../git/history/head.ts";
import { readBlobs } from "../../git/objects.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { hasChanged, listSessionsAtWork, type SessionAtWork } from "./at-work.ts";
import { type ChangedFunction, compareFunctions, findFunctions, isSameSignature } from "./functions.ts";
import type { CheckoutKind } from "./operation.ts";

/** Bytes. */
const maxFileBytes = 1_000_000;
/** Of the committed versions of files. */
const maxKept = 300;

/** A function that a session changed in a checkout, and that is not committed there. */
export interface LiveChange extends ChangedFunction {
  session: string;
  root: string;
  path: string;
  /** When the session changed its file last. Milliseconds since the epoch. */
  at: number;
  /** What must not have changed since, by path: the file, and HEAD of its checkout (`readChangeStamp`). */
  from: Record<string, string>;
}

export interface LiveWork {
  /** The project's checkouts that are there: a worktree that was deleted by hand is still in git's list. */
  checkouts: string[];
  sessions: SessionAtWork[];
  changes: LiveChange[];
}

/** Who is at work in a project's checkouts, and which functions they changed that are not committed. */
export async function findLiveWork(
  memory: Memory,
  roots: readonly string[],
  now = Date.now(),
): Promise<LiveWork> {
  const checkouts = roots.filter((root) => existsSync(root)).map(toRealPath);
  const sessions = await listSessionsAtWork(memory, checkouts, now);
  const changes: LiveChange[] = [];
  for (const { session, files } of sessions) {
    for (const file of files) {
      const { root, path, at } = file;
      const from = readStamps(root, path);
      for (const change of await compareWithCommit(root, path)) {
        const { what, before, now } = change;
        const [former, current] = [before?.lines ?? [], what === "removed" ? [] : now.lines];
        if (hasChanged(file, former, current))
          changes.push({ ...change, session: session.uid, root, path, at, from });
      }
    }
  }
  return { checkouts, sessions, changes };
}

function readStamps(root: string, path: string): Record<string, string> {
  const gitDirectory = findGitDirectory(root);
  const files = [join(root, path), ...(gitDirectory === null ? [] : [locateHeadLog(gitDirectory)])];
  return Object.fromEntries(files.map((file) => [file, readChangeStamp(file)]));
}

/** Has ready what takes longest of a file that a session may change next: what is committed of it. */
export async function prepareFile(root: string, path: string): Promise<void> {
  const committed = await readCommitted(root, path);
  if (typeof committed === "string") await findFunctions(path, committed);
}

/** The functions of a file that are not as they are committed. */
async function compareWithCommit(root: string, path: string): Promise<ChangedFunction[]> {
  const now = readText(join(root, path));
  if (now === null) return [];
  const committed = await readCommitted(root, path);
  if (committed === undefined || committed === now) return [];
  const before =
    committed === null ? { functions: [], hasSyntaxErrors: false } : await findFunctions(path, committed);
  return compareFunctions(before, await findFunctions(path, now));
}

/** A file of the working tree; null for one that is gone, or too large. */
export function readText(file: string): string | null {
  try {
    const { size } = statSync(file);
    return size > maxFileBytes ? null : readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

const committedTexts = new LRUCache<string, { text: string | null }>({ max: maxKept });

/** A file as HEAD of a checkout has it; null: not at all; undefined: git does not say. */
async function readCommitted(root: string, path: string): Promise<string | null | undefined> {
  const stamp = readHeadStamp(root);
  const key = `${root}\n${stamp}\n${path}`;
  const known = stamp === null ? undefined : committedTexts.get(key);
  if (known !== undefined) return known.text;
  let text: string | null = null;
  try {
    for await (const { bytes } of readBlobs(root, "HEAD", [path], { longest: maxFileBytes }))
      text = bytes?.toString("utf8") ?? null;
  } catch (error) {
    if (error instanceof GitFailure) return undefined;
    throw error;
  }
  committedTexts.set(key, { text });
  return text;
}

/** What a checkout is to another one of its project. */
export function classifyCheckout(other: string, root: string): CheckoutKind {
  if (other === root) return "this";
  const common = findCommonGitDir(other);
  return common !== null && common === findCommonGitDir(root) ? "worktree" : "clone";
}

/** A function that two sessions have changed, each in its checkout or both in one. */
interface Overlap {
  path: string;
  name: string;
  changes: [LiveChange, LiveChange];
}

/** Where sessions are at the same function, and have not made it the same. */
export function listOverlaps(changes: readonly LiveChange[]): Overlap[] {
  const overlaps: Overlap[] = [];
  changes.forEach((one, i) => {
    for (const other of changes.slice(i + 1)) {
      const isSame = one.path === other.path && one.now.name === other.now.name;
      if (!isSame || one.session === other.session || areAlike(one, other)) continue;
      overlaps.push({ path: one.path, name: one.now.name, changes: [one, other] });
    }
  });
  return overlaps;
}

/** Two checkouts have the same by now. */
const areAlike = (one: LiveChange, other: LiveChange): boolean =>
  one.root !== other.root &&
  (one.what === "removed") === (other.what === "removed") &&
  one.now.code === other.now.code &&
  isSameSignature(one.now, other.now);
