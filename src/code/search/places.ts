import type { FileId } from "../../store/index/port.ts";
import { isAskedFor } from "../files/path-role.ts";
import type { AnalysedQuery } from "./query.ts";
import type { RankedChunk } from "./signals.ts";
import { isInlineTest } from "./signals.ts";
import type { Weights } from "./weights.ts";

/** What speaks for a chunk beside the others of its file. A method is none of the levels. Each is 0 to 1. */
export const placeSignals = [
  "words",
  "phrase",
  "meaning",
  "name",
  "owner",
  "definition",
  "mentions",
  "level_file",
  "level_class",
  "level_block",
  "level_lines",
  "inline_test",
  // A class, where the query reads like the description of a type
  "class_asked",
] as const;
export type PlaceWeights = Readonly<Record<(typeof placeSignals)[number], number>>;

/** The values of a chunk's signals, in their order. */
export function placeEvidence(
  { candidate, named, owned, defined, mentioned }: Omit<RankedChunk, "score" | "signals">,
  query: AnalysedQuery,
  isTestAsked: boolean,
): number[] {
  const { chunk, lexical, phrase, semantic } = candidate;
  return [
    lexical,
    phrase,
    semantic,
    named,
    owned,
    defined,
    mentioned,
    Number(chunk.level === "file"),
    Number(chunk.level === "class"),
    Number(chunk.level === "block"),
    Number(chunk.level === "lines"),
    Number(isInlineTest(chunk) && !isTestAsked),
    Number(chunk.level === "class" && query.asksForType),
  ];
}

/**
 * Orders the chunks of each file anew: the best place gets its file's score, the others fall behind it. Which file answers and
 * where in it are two questions, and what answers the one (the file's name, say) says nothing of the other.
 */
export function scoreByPlace(ranked: readonly RankedChunk[], query: AnalysedQuery, weights: Weights): void {
  const isTestAsked = isAskedFor("test", new Set(query.stems));
  const isName = query.intent === "symbol" || query.intent === "path";
  const row = placeSignals.map((signal) => weights.places[isName ? "name" : "words"][signal]);
  const files = new Map<FileId, { score: number; place: number }>();
  const places = ranked.map((entry) => {
    const evidence = placeEvidence(entry, query, isTestAsked);
    let place = 0;
    for (let i = 0; i < row.length; i++) place += evidence[i]! * row[i]!;
    const file = files.get(entry.candidate.chunk.file);
    if (file === undefined) files.set(entry.candidate.chunk.file, { score: entry.score, place });
    else {
      file.score = Math.max(file.score, entry.score);
      file.place = Math.max(file.place, place);
    }
    return place;
  });
  for (const [i, entry] of ranked.entries()) {
    const best = files.get(entry.candidate.chunk.file)!;
    const score = best.score * Math.exp(weights.placeShare * (places[i]! - best.place));
    entry.signals.place = entry.score > 0 ? score / entry.score : 1;
    entry.score = score;
  }
}
