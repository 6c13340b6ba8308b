import { shortenHash } from "../../base/text/short-hash.ts";
import { wordReach, wordReverted } from "../../protocol/reading/commits.ts";
import { describeWeakLink } from "../../protocol/reading/evidence.ts";
import type { CommitFound, TranscriptSearchResponse } from "../../protocol/results.ts";
import type { ChunkType } from "../../protocol/values.ts";

/** What is shown of a result of sessions: a model's summary where it says as much, else the snippet. */
export const chooseExcerpt = ({
  snippet,
  summary,
}: {
  snippet: string;
  summary?: string | undefined;
}): string => (summary === undefined ? snippet : `Summary: ${summary}`);

/** What a result is, unless it is a part of a conversation. Its `kind` is a guess from its words, for ranking and filters. */
export const nameResultType = ({ chunk_type }: { chunk_type: ChunkType }): string =>
  chunk_type === "annotated" ? "note" : chunk_type === "summary" ? "summary" : "";

type Session = TranscriptSearchResponse["results"][number];

/** What became of a commit that a session led to: "on HEAD", "34 of 40 distinctive lines left". */
export function describeCommitFate(commit: Session["commits"][number]): string[] {
  const { reach, successor, branches, reverted_by, lines_added, lines_surviving } = commit;
  return [
    describeWeakLink(commit),
    wordReverted(reverted_by),
    reach === "head" ? (successor === null ? "on HEAD" : `on HEAD as ${shortenHash(successor)}`) : null,
    wordReach(reach, branches),
    lines_added === null || lines_added === 0
      ? null
      : `${lines_surviving} of ${lines_added} distinctive lines left`,
  ].filter((fact) => fact !== null);
}

/** What became of the files that a session changed. */
export const freshnessWords = {
  fresh: "unchanged since",
  drifted: "changed since",
  orphaned: "gone",
} as const;

/** What became of a commit that was found, where that is worth a warning; null: nothing. */
export const describeFoundCommitFate = ({ reach, reverted_by }: CommitFound): string | null =>
  wordReverted(reverted_by) ?? wordReach(reach, null);
