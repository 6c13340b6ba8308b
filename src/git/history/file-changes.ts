import { GitFailure, gitBytes, plain, plainDiff, plainEnvironment } from "../git.ts";
import { linesOf } from "../output-lines.ts";
import { RepositoryCache } from "../repository-cache.ts";

/** What a commit did to a file. */
export interface FileChange {
  hash: string;
  subject: string;
  /** Milliseconds since the epoch. */
  committedAt: number;
  removed: string[];
  added: string[];
}

/** Commits that are read, and the longest line. Bytes. */
const most = { commits: 40, line: 4096 } as const;
const cache = new RepositoryCache<FileChange[]>({
  max: 50,
  fits: (changes) =>
    changes.reduce((sum, { removed, added }) => sum + removed.length + added.length, 0) < 20_000,
});

/**
 * What the latest commits of a revision did to a file, the latest first; none where git fails. Not across renames, which
 * would be looked for in all of every commit.
 * @param path relative to `dir`
 */
export function recentChangesOf(dir: string, path: string, revision = "HEAD"): Promise<FileChange[]> {
  return cache.of(dir, JSON.stringify([path, revision]), () => readChanges(dir, path, revision));
}

async function readChanges(dir: string, path: string, revision: string): Promise<FileChange[]> {
  const args = [
    ...[...plain, "log", "--no-merges", `--max-count=${most.commits}`, "--no-show-signature"],
    ...["--encoding=UTF-8", "--format=%x01%H %ct %s", "-p", "-U0", ...plainDiff, "--no-renames"],
    ...[revision, "--", path],
  ];
  const changes: FileChange[] = [];
  let isHunk = false;
  try {
    for await (const lines of linesOf(gitBytes(dir, args, { env: plainEnvironment }), most.line)) {
      for (const line of lines) {
        const [, hash = "", time = "", subject = ""] = /^\x01([0-9a-f]{40,64}) (\d+) (.*)$/.exec(line) ?? [];
        if (hash !== "") {
          changes.push({ hash, subject, committedAt: Number(time) * 1000, removed: [], added: [] });
          isHunk = false;
        } else if (line.startsWith("@@")) isHunk = true;
        else if (isHunk && line.startsWith("-")) changes.at(-1)?.removed.push(line.slice(1));
        else if (isHunk && line.startsWith("+")) changes.at(-1)?.added.push(line.slice(1));
      }
    }
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return [];
  }
  return changes;
}
