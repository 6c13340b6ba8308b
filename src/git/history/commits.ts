import type { CommitInfo } from "../diff/changes-types.ts";
import { GitFailure, plain, readGitBytes, readGitFields } from "../git.ts";

interface ReadCommitsOptions {
  /** Only the newest. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Every commit after its parents. */
  oldestFirst?: boolean;
  /** Also which files it changed; of a merge none. */
  withFiles?: boolean;
}

/** Allowed options; others could make git write a file. */
const options =
  /^--(all|branches|tags|remotes|reflog|no-walk|first-parent|(no-)?merges|ignore-missing|(since|until|after|before)=.*)$/s;
const fieldsOfCommit = 8;
const format = "--format=tformat:%H%x00%T%x00%P%x00%an%x00%ae%x00%at%x00%ct%x00%B";

/**
 * The commits reachable from `revisions`, newest first, in git rev-list syntax: hashes, `^hash`, `a..b`, `--all`,
 * `--no-walk`, `--ignore-missing`, `--since=...`.
 * @throws GitFailure also where a revision is unknown
 */
export async function* readCommits(
  dir: string,
  revisions: readonly string[],
  { limit, signal, oldestFirst = false, withFiles = false }: ReadCommitsOptions = {},
): AsyncGenerator<CommitInfo, void, undefined> {
  const given = revisions.filter((revision) => revision.startsWith("-"));
  const others = revisions.filter((revision) => !revision.startsWith("-"));
  const refused = given.find((option) => !options.test(option)) ?? others.find((name) => /[\n\0]/.test(name));
  if (refused !== undefined) throw new GitFailure("failed", `${JSON.stringify(refused)} is not a revision`);
  if (revisions.length === 0) return;
  const args = [
    ...plain,
    "log",
    "-z",
    ...(withFiles ? ["--numstat", "--no-renames", "--relative"] : ["--no-patch"]),
    "--no-show-signature",
    "--no-color",
    "--no-decorate",
    "--no-notes",
    "--no-mailmap",
    "--encoding=UTF-8",
    format,
    ...(limit === undefined ? [] : [`--max-count=${limit}`]),
    ...(oldestFirst ? ["--topo-order", "--reverse"] : []),
    ...given,
    "--stdin",
  ];
  const stdin = others.map((revision) => `${revision}\n`);
  let fields: string[] = [];
  let commit: CommitInfo | null = null;
  for await (const field of splitFields(readGitBytes(dir, args, { signal, stdin }))) {
    const [, added, path] = (withFiles && fields.length === 0 && changedFile.exec(field)) || [];
    if (added !== undefined && path !== undefined) {
      commit?.files?.push({ path, added: Number(added) || 0 });
      continue;
    }
    if (commit !== null) yield commit;
    commit = null;
    fields.push(field);
    if (fields.length < fieldsOfCommit) continue;
    commit = { ...parseCommit(fields), ...(withFiles && { files: [] }) };
    fields = [];
  }
  if (commit !== null) yield commit;
}

/** Lines added and removed, and the path; of a binary file "-". The first of a commit begins a line. */
const changedFile = /^\n?(\d+|-)\t(?:\d+|-)\t([\s\S]+)$/;

async function* splitFields(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let rest = "";
  for await (const chunk of chunks) {
    const fields = (rest + decoder.decode(chunk, { stream: true })).split("\0");
    rest = fields.pop()!;
    yield* fields;
  }
}

function parseCommit(fields: readonly string[]): CommitInfo {
  const [hash, tree, parents, author, authorEmail, authoredAt, committedAt, message] = fields as string[];
  return {
    hash: hash!,
    tree: tree!,
    parents: parents === "" ? [] : parents!.split(" "),
    author: author!,
    authorEmail: authorEmail!,
    authoredAt: Number(authoredAt) * 1000,
    committedAt: Number(committedAt) * 1000,
    message: message!.trim(),
  };
}

/** A move of HEAD. */
export interface ReflogEntry {
  /** The new commit. */
  hash: string;
  /** Milliseconds since the epoch, at a resolution of seconds. */
  at: number;
  /** Such as "commit: subject", "rebase (pick): subject", "checkout: moving from a to b". */
  action: string;
}

/**
 * HEAD's reflog in the working tree `dir`, newest first, without commits that no longer exist.
 * @throws GitFailure also where there is no commit yet
 */
export async function* readReflog(
  dir: string,
  signal?: AbortSignal,
): AsyncGenerator<ReflogEntry, void, undefined> {
  const args = [
    ...plain,
    "log",
    "--walk-reflogs",
    "-z",
    "--no-patch",
    "--no-show-signature",
    "--no-color",
    "--no-decorate",
    "--no-notes",
    "--encoding=UTF-8",
    "--date=unix",
    "--format=tformat:%H%x00%gd%x00%gs",
    "HEAD",
    "--",
  ];
  const fields = readGitFields(dir, args, signal);
  for await (const hash of fields) {
    const at = /\{(\d+)\}$/.exec((await fields.next()).value ?? "")?.[1];
    const action = (await fields.next()).value ?? "";
    yield { hash, at: Number(at ?? 0) * 1000, action };
  }
}
