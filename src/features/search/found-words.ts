import { shortenHash } from "../../base/text/short-hash.ts";
import { wordReach, wordReverted } from "../../protocol/reading/commits.ts";
import { describeWeakLink } from "../../protocol/reading/evidence.ts";
import type { CommitFound, TranscriptSearchResponse } from "../../protocol/results.ts";
import type { ChunkKind, ChunkType } from "../../protocol/values.ts";

/** What is shown of a result of sessions: a model's summary where it says as much, else the snippet. */
export const chooseExcerpt = ({
  snippet,
  summary,
}: {
  snippet: string;
  summary?: string | undefined;
}): string => (summary === undefined ? snippet : `Summary: ${summary}`);

/** What a result of sessions is called; a plain part of a conversation needs no name. */
export function nameResultType({ chunk_type, kind }: { chunk_type: ChunkType; kind: ChunkKind }): string {
  if (chunk_type === "annotated") return "note";
  return chunk_type === "summary" ? "summary" : kinds[kind];
}

const kinds: Readonly<Record<ChunkKind, string>> = {
  decision: "decision",
  "code-change": "code change",
  "error-fix": "error fixed",
  architecture: "architecture",
  conversation: "",
};

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
