import { makeTokenStream } from "../../base/text/tokens.ts";
import { listLookupTerms, measureHeldShare, weighTerms } from "../../code/search/confidence/asked-terms.ts";
import { type AnalysedQuery, analyseQuery } from "../../code/search/query.ts";
import { countSessionChunks } from "../../store/memory/chunks/chunks.ts";
import { readEvents } from "../../store/memory/events.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { EventRecord } from "../../store/memory/memory-records.ts";
import { countRowsByToken } from "../../store/sqlite/full-text.ts";
import { type RankedRecords, type RecordNearness, rankRecords } from "./rank.ts";

/** Events for a question: by their title, description and branch, by meaning, and by their id. */
export async function searchEvents(
  memory: Memory,
  question: string,
  isWanted: (event: EventRecord) => boolean,
  nearnessTo: RecordNearness | null,
): Promise<RankedRecords<EventRecord>> {
  const query: AnalysedQuery = analyseQuery(question);
  const terms = listLookupTerms(query);
  const events = readEvents(memory).filter(isWanted);
  const texts = events.map(({ title, description, branch }) => [title, description, branch ?? ""].join("\n"));
  const held = new Set(texts.flatMap((text) => makeTokenStream(text).split(" ")));
  // How rare a word is show the many chunks of sessions, not a handful of events.
  const holding = new Map(terms.filter((term) => held.has(term)).map((term): [string, number] => [term, 1]));
  for (const [term, count] of countRowsByToken(memory, "chunk_terms", terms)) holding.set(term, count);
  const asked = weighTerms(terms, { chunks: Math.max(countSessionChunks(memory), events.length), holding });
  const id = question.trim().toLowerCase();
  const candidates = events.map((item, i) => ({
    item,
    words: measureHeldShare(asked, texts[i]!),
    text: texts[i]!,
    isNamed: id.length >= 4 && item.uid.startsWith(id),
  }));
  return rankRecords(query, { ...asked, chunks: events.length }, candidates, nearnessTo);
}
