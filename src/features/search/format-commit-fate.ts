import type { TranscriptSearchResponse } from "../../protocol/results.ts";

/** What happened to the code of a search result, as text for people and models. */

type Result = TranscriptSearchResponse["results"][number];

/** What became of a commit: "on HEAD", "34 of 40 lines left". */
export function formatCommitFate(commit: Result["commits"][number]): string[] {
  const { reach, successor, branches, reverted_by, lines_added, lines_surviving } = commit;
  return [
    reverted_by === null ? null : `reverted by ${reverted_by.slice(0, 7)}`,
    reach === "head" ? (successor === null ? "on HEAD" : `on HEAD as ${successor.slice(0, 7)}`) : null,
    reach === "gone" ? "not in this repository" : null,
    reach === "elsewhere" ? (branches.length > 0 ? `on ${branches.join(", ")} only` : "on no branch") : null,
    lines_added === null || lines_added === 0 ? null : `${lines_surviving} of ${lines_added} lines left`,
  ].filter((fact) => fact !== null);
}

/** What became of the files. */
export const formatFreshness: Readonly<Record<string, string>> = {
  fresh: "unchanged since",
  drifted: "changed since",
  orphaned: "gone",
};
