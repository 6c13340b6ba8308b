import { existsSync } from "node:fs";
import { join } from "node:path";
import { GitFailure, readGitBuffer, readGitFields, readGitText, readGitTextIfAny } from "../git.ts";
import { RepositoryCache } from "../repository-cache.ts";

/** A commit in the log. */
export interface Commit {
  hash: string;
  author: string;
  /** Milliseconds since the epoch. */
  authoredAt: number;
  /** Subject, blank line, body; as written. */
  message: string;
  /** Files it changed, added or removed, relative to the requested directory; both names of a rename. */
  files: string[];
}

interface CommitsOptions {
  /** At most so many; default: all. */
  limit?: number | undefined;
  /** Whose history: hashes and `^hash`; default: HEAD's. */
  revisions?: readonly string[];
  /** Include merges; they name no files. */
  merges?: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * Commits that changed something in `dir` (a working tree or a part of one), newest first.
 * @throws GitFailure
 */
export async function* listCommits(
  dir: string,
  { limit, revisions = ["HEAD"], merges = false, signal }: CommitsOptions = {},
): AsyncGenerator<Commit, void, undefined> {
  const isPart = !existsSync(join(dir, ".git"));
  const args = [
    "log",
    "-z",
    "--name-only",
    "--no-renames",
    "--relative",
    "--no-show-signature",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--encoding=UTF-8",
    ...(merges ? [] : ["--no-merges"]),
    ...(limit === undefined ? [] : [`--max-count=${limit}`]),
    // A path would leave out the merges of whole branches.
    "--format=%x01%H%x00%an%x00%at%x00%B%x00",
    ...revisions,
    "--",
    ...(isPart || !merges ? ["."] : []),
  ];
  const fields = readGitFields(dir, args, signal);
  let commit: Commit | null = null;
  for await (const field of fields) {
    const hash = /^\n?\x01([0-9a-f]{40,64})$/.exec(field)?.[1];
    if (hash === undefined) {
      // A line break separates the message from the first file.
      const file = commit?.files.length === 0 ? field.replace(/^\n/, "") : field;
      if (file !== "") commit?.files.push(file);
      continue;
    }
    if (commit !== null) yield commit;
    const author: string = (await fields.next()).value ?? "";
    const authoredAt = Number((await fields.next()).value ?? 0) * 1000;
    const message: string = (await fields.next()).value ?? "";
    commit = { hash, author, authoredAt, message: message.trim(), files: [] };
  }
  if (commit !== null) yield commit;
}

/** A history of 50,000 commits takes about 6 MB. */
const maxKept = 50_000;
const histories = new RepositoryCache<ReadonlyMap<string, number>>({
  max: 1,
  fits: ({ size }) => size <= maxKept,
});

/**
 * The commits of HEAD's history, newest first, with their author times in milliseconds since the epoch. Shared: do not
 * modify.
 * @throws GitFailure
 */
export function listAuthoredTimes(dir: string, signal?: AbortSignal): Promise<ReadonlyMap<string, number>> {
  return histories.getOrAsk(dir, "", () => readAuthoredTimes(dir, signal));
}

async function readAuthoredTimes(dir: string, signal?: AbortSignal): Promise<Map<string, number>> {
  const args = ["log", "-z", "--no-show-signature", "--no-color", "--format=%H %at", "HEAD", "--"];
  const history = new Map<string, number>();
  for await (const field of readGitFields(dir, args, signal)) {
    const [hash = "", at] = field.trim().split(" ");
    history.set(hash, Number(at) * 1000);
  }
  return history;
}

/**
 * What keeps git from reading HEAD's history: no repository, no commits yet, or something broken. null: nothing.
 * Reads HEAD's commit, not the rest.
 */
export async function findHistoryProblem(dir: string, signal?: AbortSignal): Promise<GitFailure | null> {
  try {
    await readGitText(dir, ["log", "-1", "--no-show-signature", "--format=%H", "HEAD", "--"], signal);
    return null;
  } catch (error) {
    if (error instanceof GitFailure) return error;
    throw error;
  }
}

/** How many commits HEAD's history has, as `listCommits` with merges gives them; 0 where git fails. */
export async function countCommits(dir: string, signal?: AbortSignal): Promise<number> {
  return Number(await readGitTextIfAny(dir, ["rev-list", "--count", "HEAD", "--"], signal)) || 0;
}

/** HEAD's commit; null without commits or git. */
export function readHeadCommit(dir: string): Promise<string | null> {
  return findCommitHash(dir, "HEAD");
}

/** Where two histories parted: a hash; null: they have no commit in common, or a shallow clone lacks it. */
export const findCommonAncestor = async (dir: string, one: string, other: string): Promise<string | null> =>
  (await readGitTextIfAny(dir, ["merge-base", one, other])) || null;

/** The hash of a named commit (HEAD, a tag, a branch, a short hash); null when it is unknown or without git. */
export function findCommitHash(dir: string, name: string): Promise<string | null> {
  return readGitTextIfAny(dir, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
}

/** The full hashes of those of `names` that name a commit, by name; none without git. A name is one word. */
export async function findCommitHashes(dir: string, names: readonly string[]): Promise<Map<string, string>> {
  try {
    const stdin = names.map((name) => `${name}\n`);
    const said = (await readGitBuffer(dir, ["cat-file", "--batch-check"], { stdin })).toString().split("\n");
    return new Map(
      names.flatMap((name, at): [string, string][] => {
        const [, hash] = /^(\w+) commit \d+$/.exec(said[at] ?? "") ?? [];
        return hash === undefined ? [] : [[name, hash]];
      }),
    );
  } catch (error) {
    if (error instanceof GitFailure) return new Map();
    throw error;
  }
}

/** Whether the repository is a shallow clone. */
export async function isShallow(dir: string): Promise<boolean> {
  return (await readGitText(dir, ["rev-parse", "--is-shallow-repository"])) === "true";
}
