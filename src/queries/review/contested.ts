import type { CommitInfo } from "../../git/diff/changes-types.ts";
import { gitText } from "../../git/git.ts";
import type { Project } from "../../project/paths.ts";
import type { ReviewAnswer, ReviewFile } from "../../protocol/operations/review.ts";
import type { Reviewed } from "./what.ts";

/** Fewer lines are what every change has. */
const minReworked = 10;
const maxReworked = 10;

/** What a range of commits did and undid again: lines that one added and a later one removed, and commits that revert one. */
export async function contestedIn(
  { root }: Project,
  what: Reviewed,
  commits: readonly CommitInfo[],
  files: readonly ReviewFile[],
  signal?: AbortSignal,
): Promise<Pick<ReviewAnswer, "reworked" | "reverts">> {
  const reverts = commits.flatMap(({ hash, message }) => {
    const [, reverted] = /^This reverts commit ([0-9a-f]{7,64})\b/m.exec(message) ?? [];
    return reverted === undefined ? [] : [{ hash, subject: message.split("\n", 1)[0] ?? "", reverted }];
  });
  if (what.kind !== "range" || commits.length < 2) return { reworked: [], reverts };
  const added = await addedBy(root, `${what.from}..${what.to}`, signal);
  const reworked = files
    .map(({ path, insertions }) => {
      const { lines, commits: made } = added.get(path) ?? { lines: 0, commits: 0 };
      return { path, lines: lines - insertions, commits: made };
    })
    .filter(({ lines, commits: made }) => made > 1 && lines >= minReworked)
    .sort((a, b) => b.lines - a.lines)
    .slice(0, maxReworked);
  return { reworked, reverts };
}

/** The lines that all commits of a range added to each file, and how many of them did. */
async function addedBy(root: string, range: string, signal?: AbortSignal) {
  const text = await gitText(
    root,
    ["log", "--no-merges", "--no-renames", "--numstat", "-z", "--relative", "--format=", range],
    signal,
  );
  const files = new Map<string, { lines: number; commits: number }>();
  for (const [, lines, path = ""] of text.matchAll(/(\d+)\t\d+\t([^\0]+)\0/g)) {
    const known = files.get(path) ?? { lines: 0, commits: 0 };
    files.set(path, { lines: known.lines + Number(lines), commits: known.commits + 1 });
  }
  return files;
}
