import { GitFailure, gitFields, gitText } from "../git.ts";
import { RepositoryCache } from "../repository-cache.ts";

/** A commit as history tells it. */
export interface Commit {
  hash: string;
  author: string;
  /** Subject, blank line, body; as written. */
  message: string;
  /** Files it changed, added or removed, relative to the directory that was asked about; a rename is both names. */
  files: string[];
}

/**
 * Commits that changed something in `dir` (a working tree or a part of one), newest first, without merges.
 * @param options.limit at most so many
 * @throws GitFailure
 */
export async function* commitsOf(
  dir: string,
  { limit, signal }: { limit: number; signal?: AbortSignal },
): AsyncGenerator<Commit, void, undefined> {
  const args = [
    ...["log", "-z", "--no-merges", "--name-only", "--no-renames", "--relative", "--no-show-signature"],
    ...["--no-color", "--no-ext-diff", "--no-textconv", "--encoding=UTF-8", `--max-count=${limit}`],
    ...["--format=%x01%H%x00%an%x00%B%x00", "--", "."],
  ];
  const fields = gitFields(dir, args, signal);
  let commit: Commit | null = null;
  for await (const field of fields) {
    const hash = /^\n?\x01([0-9a-f]{40,64})$/.exec(field)?.[1];
    if (hash === undefined) {
      // A break parts the message from the first file.
      const file = commit?.files.length === 0 ? field.replace(/^\n/, "") : field;
      if (file !== "") commit?.files.push(file);
      continue;
    }
    if (commit !== null) yield commit;
    const author: string = (await fields.next()).value ?? "";
    const message: string = (await fields.next()).value ?? "";
    commit = { hash, author, message: message.trim(), files: [] };
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
 * The commits of HEAD's history, newest first, and when they were authored, in milliseconds since the epoch. Shared: not
 * to be changed.
 * @throws GitFailure
 */
export function authoredTimes(dir: string, signal?: AbortSignal): Promise<ReadonlyMap<string, number>> {
  return histories.of(dir, "", () => readAuthoredTimes(dir, signal));
}

async function readAuthoredTimes(dir: string, signal?: AbortSignal): Promise<Map<string, number>> {
  const args = ["log", "-z", "--no-show-signature", "--no-color", "--format=%H %at", "HEAD", "--"];
  const history = new Map<string, number>();
  for await (const field of gitFields(dir, args, signal)) {
    const [hash = "", at] = field.trim().split(" ");
    history.set(hash, Number(at) * 1000);
  }
  return history;
}

/** The commit that `dir` is at; null where there is none, or no git. */
export function headOf(dir: string): Promise<string | null> {
  return commitNamed(dir, "HEAD");
}

/** The hash of the commit that git knows by a name (HEAD, a tag, a branch); null where there is none, or no git. */
export async function commitNamed(dir: string, name: string): Promise<string | null> {
  try {
    return await gitText(dir, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
  } catch (error) {
    if (error instanceof GitFailure) return null;
    throw error;
  }
}

/** Whether history was cut off by a shallow clone. */
export async function isShallow(dir: string): Promise<boolean> {
  return (await gitText(dir, ["rev-parse", "--is-shallow-repository"])) === "true";
}
