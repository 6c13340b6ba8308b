import { existsSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { readFileId } from "../../base/files/file-id.ts";
import { findCommonGitDir, findUpwards, toRealPath } from "../../base/paths.ts";
import { readGitTextIfAny } from "../git.ts";
import { normalizeAddress, withoutCredentials } from "./remote-address.ts";

/** What tells which project a checkout holds. */
export interface CheckoutIdentity {
  rootId: string | null;
  /** Of the git directory that all worktrees share; null without git. */
  gitId: string | null;
  /** Hashes of the root commits of what is checked out; null where they are not known: a shallow clone, or one too large to ask. */
  roots: string[] | null;
  /** See `findPrimaryRemote`; null where there is none. */
  remote: string | null;
  /** A directory on this machine that it was cloned from; null where it was not. */
  clonedFrom: string | null;
  /** A subdirectory of its repository: which one, with slashes; else "". */
  within: string;
}

/** Linux has 1.3 million commits; who waits for an answer waits no longer for its first ones. Milliseconds. */
const rootsTimeoutMs = 100;

/** @param timeoutMs how long git may take to find the root commits; null: as long as it takes */
export async function readCheckoutIdentity(
  root: string,
  timeoutMs: number | null = rootsTimeoutMs,
): Promise<CheckoutIdentity> {
  const top = findUpwards(root, ".git");
  const commonDir = top === null ? null : findCommonGitDir(top);
  const rootId = readFileId(root);
  if (top === null || commonDir === null)
    return { rootId, gitId: null, roots: [], remote: null, clonedFrom: null, within: "" };
  const [roots, url] = await Promise.all([
    listRootCommits(top, commonDir, timeoutMs),
    findPrimaryRemote(top),
  ]);
  const source = url === null ? null : toLocalPath(url, top);
  return {
    rootId,
    gitId: readFileId(commonDir),
    roots,
    remote: url === null ? null : normalizeAddress(source ?? url),
    clonedFrom: source,
    within: relative(top, root).split(sep).join("/"),
  };
}

async function listRootCommits(
  top: string,
  commonDir: string,
  timeoutMs: number | null,
): Promise<string[] | null> {
  // What seems to have no parent there is where the clone was cut off.
  if (existsSync(join(commonDir, "shallow"))) return null;
  const signal = timeoutMs === null ? undefined : AbortSignal.timeout(timeoutMs);
  try {
    const text = await readGitTextIfAny(top, ["rev-list", "--max-parents=0", "HEAD"], signal);
    // No commit yet, or git cannot say.
    return text === null ? [] : text.split("\n").filter((hash) => hash !== "");
  } catch {
    return null;
  }
}

/** The address of a repository's remote, without user and password; null where there is none. */
export async function findRemote(root: string): Promise<string | null> {
  const url = await findPrimaryRemote(root);
  return url === null ? null : withoutCredentials(url);
}

/** The address of the remote called origin, or of the only one. */
async function findPrimaryRemote(top: string): Promise<string | null> {
  const text = await readGitTextIfAny(top, ["config", "--get-regexp", "^remote\\..*\\.url$"]);
  const urls = (text ?? "").split("\n").flatMap((line) => {
    const [, name = "", url = ""] = /^remote\.(.+)\.url (.+)$/.exec(line) ?? [];
    return url === "" ? [] : [{ name, url }];
  });
  const origin = urls.find(({ name }) => name === "origin");
  return origin?.url ?? (urls.length === 1 ? urls[0]!.url : null);
}

/** The directory that an address names on this machine; null for one of another machine. */
function toLocalPath(url: string, top: string): string | null {
  try {
    const path = url.startsWith("file://") ? fileURLToPath(url) : url;
    const isPath = isAbsolute(path) || /^\.{1,2}(?:\/|$)/.test(path);
    return isPath ? toRealPath(resolve(top, path)).replace(/\/\.git$/, "") : null;
  } catch {
    return null;
  }
}
