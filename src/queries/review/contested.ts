import type { CommitInfo } from "../../git/diff/changes-types.ts";
import type { ReviewAnswer, ReviewFile } from "../../protocol/operations/review.ts";
import type { Reviewed } from "./what.ts";

/** The commits of a range. */
export interface Commits {
  /** The latest. */
  shown: CommitInfo[];
  total: number;
  /** The lines that all of them added to each file, and how many of them changed it. */
  added: Map<string, { lines: number; commits: number }>;
}

/** Fewer lines are what every change has. */
const minReworked = 10;
const maxReworked = 10;

/** What a range of commits did and undid again: lines that one added and a later one removed, and commits that revert one. */
export function contestedIn(
  what: Reviewed,
  { shown, added }: Commits,
  files: readonly ReviewFile[],
): Pick<ReviewAnswer, "reworked" | "reverts"> {
  const reverts = shown.flatMap(({ hash, message }) => {
    const [, reverted] = /^This reverts commit ([0-9a-f]{7,64})\b/m.exec(message) ?? [];
    return reverted === undefined ? [] : [{ hash, subject: message.split("\n", 1)[0] ?? "", reverted }];
  });
  if (what.kind !== "range") return { reworked: [], reverts };
  const reworked = files
    .map(({ path, insertions }) => {
      const { lines, commits } = added.get(path) ?? { lines: 0, commits: 0 };
      return { path, lines: lines - insertions, commits };
    })
    .filter(({ lines, commits }) => commits > 1 && lines >= minReworked)
    .sort((a, b) => b.lines - a.lines)
    .slice(0, maxReworked);
  return { reworked, reverts };
}
