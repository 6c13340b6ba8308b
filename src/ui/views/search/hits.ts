import type {
  CommitFound,
  EventFound,
  HistoryResult,
  SearchAllResponse,
} from "../../../protocol/operations/search.ts";
import type { ResponseOf } from "../../../protocol/routes.ts";
import { commitLink, fileLink, memoryLink, sessionLink } from "../../router.ts";

export type CodeResult = ResponseOf<"search">["results"][number];
export type SessionResult = ResponseOf<"searchTranscripts">["results"][number];

/** A result of any kind. */
export type Hit = { key: string; href: string; probability: number } & (
  | { kind: "code"; result: CodeResult }
  | { kind: "session"; result: SessionResult }
  | { kind: "commit"; result: CommitFound }
  | { kind: "event"; result: EventFound }
);

/** What a search found; `nearest` when that is nothing. */
export interface Found {
  hits: Hit[];
  nearest: Hit[];
  total: number;
  tookMs: number;
  notes: string[];
}

/** One list of what answers the question, the most probable first: probabilities are comparable between kinds. */
export function foundIn({
  code,
  transcripts,
  history,
  notes,
}: Omit<SearchAllResponse, "scope" | "query">): Found {
  const sides = [code, transcripts, history].filter((side) => side !== null);
  const all = (which: "results" | "nearest") =>
    [
      ...(code?.[which] ?? []).map(codeHit),
      ...(transcripts?.[which] ?? []).map(sessionHit),
      ...(history?.[which] ?? []).map(historyHit),
    ].sort((a, b) => b.probability - a.probability);
  const hits = all("results");
  return {
    hits,
    nearest: hits.length === 0 ? all("nearest") : [],
    total: sides.reduce((sum, side) => sum + side.total_results, 0),
    tookMs: Math.max(0, ...sides.map((side) => side.search_time_ms)),
    notes: [...notes, ...sides.flatMap((side) => side.notes)],
  };
}

function codeHit(result: CodeResult): Hit {
  const line = result.match_lines?.[0] ?? result.start_line;
  return {
    kind: "code",
    key: result.id,
    href: fileLink(result.file, line),
    probability: result.probability,
    result,
  };
}

function sessionHit(result: SessionResult): Hit {
  const href = sessionLink(result.session_id, result.turn);
  return { kind: "session", key: result.id, href, probability: result.probability, result };
}

function historyHit(result: HistoryResult): Hit {
  const { id, probability } = result;
  return result.kind === "commit"
    ? { kind: "commit", key: id, href: commitLink(id), probability, result }
    : { kind: "event", key: id, href: memoryLink("events", id), probability, result };
}
