import { linkToCommit, linkToFile, linkToMemory, linkToSession } from "../../../page/router.ts";
import { computeLikelihood } from "../../../protocol/reading/evidence.ts";
import type {
  CodeResult,
  CommitFound,
  Coverage,
  EventFound,
  SessionResult,
} from "../../../protocol/results.ts";
import type { Verdict } from "../../../protocol/values.ts";
import type { HistoryResult, SearchAllResponse } from "../operation.ts";

/** A result of any kind. */
export type PageHit = { key: string; href: string; likely: number } & (
  | { kind: "code"; result: CodeResult }
  | { kind: "session"; result: SessionResult }
  | { kind: "commit"; result: CommitFound }
  | { kind: "event"; result: EventFound }
);

export interface SearchHits {
  verdict: Verdict;
  /** Of what is not read in full yet. */
  coverages: Coverage[];
  hits: PageHit[];
  total: number;
  tookMs: number;
  notes: string[];
}

/** All kinds of results in one list, the likeliest first. */
export function mergeFound({
  verdict,
  code,
  transcripts,
  history,
  notes,
}: Omit<SearchAllResponse, "scope" | "query">): SearchHits {
  const sides = [code, transcripts, history].filter((side) => side !== null);
  const hits = [
    ...(code?.results ?? []).map((result, i) => toCodeHit(result, rateResult(code!, i))),
    ...(transcripts?.results ?? []).map((result, i) => toSessionHit(result, rateResult(transcripts!, i))),
    ...(history?.results ?? []).map((result, i) => toHistoryHit(result, rateResult(history!, i))),
  ].sort((a, b) => b.likely - a.likely);
  return {
    verdict,
    coverages: sides.flatMap((side) => side.coverage ?? []),
    hits,
    total: sides.reduce((sum, side) => sum + side.total_results, 0),
    tookMs: Math.max(0, ...sides.map((side) => side.search_time_ms)),
    notes: [...notes, ...sides.flatMap((side) => side.notes)],
  };
}

/** What the question names comes before everything that is like it. */
const rateResult = (side: { probability: number; is_named?: boolean | undefined }, i: number) =>
  side.is_named && i === 0 ? Number.POSITIVE_INFINITY : computeLikelihood(side, i + 1);

function toCodeHit(result: CodeResult, likely: number): PageHit {
  const line = result.match_lines?.[0] ?? result.start_line;
  return {
    kind: "code",
    key: result.id,
    href: linkToFile(result.file, line),
    likely,
    result,
  };
}

function toSessionHit(result: SessionResult, likely: number): PageHit {
  const href = linkToSession(result.session_id, result.turn);
  return { kind: "session", key: result.id, href, likely, result };
}

function toHistoryHit(result: HistoryResult, likely: number): PageHit {
  const { id } = result;
  return result.kind === "commit"
    ? { kind: "commit", key: id, href: linkToCommit(id), likely, result }
    : { kind: "event", key: id, href: linkToMemory("events", id), likely, result };
}
