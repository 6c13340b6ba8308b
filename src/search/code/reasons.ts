import { rootOf } from "../../text/tokens.ts";
import type { AnalysedQuery } from "./query.ts";
import type { Ranked } from "./rank.ts";

/** How much of a chunk is looked at for the words it shares with the query. Characters. */
const maxLook = 20_000;

/** Below this, nearness moves a result without being a reason to show it. A cosine. */
const telling = 0.4;

/** What a reader should know of why a result is there, strongest first: "defines JoinHandle", "mentions retry, backoff". */
export function reasonsFor({ candidate, signals }: Ranked, query: AnalysedQuery, content: string): string[] {
  const { chunk, defines } = candidate;
  const distinctive: [number, string][] = [
    [signals.definition ?? 0, `defines ${defines[0]?.name ?? chunk.name}`],
    [signals.path ?? 0, "the requested file"],
    [signals.lexical ?? 0, mentions(query, content)],
    [signals.file_name ?? 0, `file name matches (${chunk.path.slice(chunk.path.lastIndexOf("/") + 1)})`],
    [signals.name ?? 0, `name matches (${chunk.name})`],
    [signals.directories ?? 0, "directory matches"],
    candidate.semantic >= telling
      ? [signals.semantic ?? 0, "similar in meaning"]
      : [candidate.fileSemantic >= telling ? (signals.file_semantic ?? 0) : 0, "file is similar in meaning"],
    [signals.coherence ?? 0, "more of the file matches"],
  ];
  return distinctive
    .filter(([weight, reason]) => weight >= 0.05 && reason !== "")
    .sort(([a], [b]) => b - a)
    .slice(0, 3)
    .map(([, reason]) => reason);
}

function mentions(query: AnalysedQuery, content: string): string {
  const text = content.slice(0, maxLook).toLowerCase();
  const words = query.words.filter((word) => text.includes(rootOf(word)));
  return words.length === 0 ? "" : `mentions ${words.slice(0, 5).join(", ")}`;
}
