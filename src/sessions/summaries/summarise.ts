import type { Llm } from "../../models/generate/llm.ts";
import { messageOf } from "../../project/errors.ts";
import type { Logger } from "../../project/log.ts";
import { silentLog } from "../../project/log.ts";
import type { SummarySource } from "../../store/memory/memory-records.ts";
import type { Turn } from "../turn-content.ts";
import { compactionSummaries } from "./compaction.ts";
import { extractiveSummary, type SummaryMeta } from "./extractive/extractive.ts";
import { llmSummary } from "./llm-summary.ts";

export interface Summary {
  source: SummarySource;
  /** It covers the turns up to this one. */
  upToTurn: number;
  text: string;
  /** The generator that wrote it; null for the others. */
  model: string | null;
  /** A title for the session, where the generator gave one. */
  title?: string;
}

interface SummariseOptions extends SummaryMeta {
  /** The model that writes a summary; null: none. */
  llm: Llm | null;
  signal?: AbortSignal | undefined;
  log?: Logger;
}

/**
 * Every summary of a session that can be had now: the extractive one, the agent's own from each compaction, and the
 * language model's. A model that fails only leaves its summary out.
 * @param turns gives the turns anew with each call, so that a long session need not be held in memory
 * @throws only the signal's reason when it is aborted
 */
export async function summarise(
  turns: () => Iterable<Turn>,
  { llm, signal, log = silentLog, relativize }: SummariseOptions,
): Promise<Summary[]> {
  signal?.throwIfAborted();
  const upToTurn = lastNumber(turns());
  const summaries: Summary[] = [];
  const extract = extractiveSummary(turns(), { relativize });
  if (extract !== "") summaries.push({ source: "extractive", upToTurn, text: extract, model: null });
  for (const { text, upToTurn: compactedAt } of compactionSummaries(turns())) {
    summaries.push({ source: "compaction", upToTurn: compactedAt, text, model: null });
  }
  if (llm === null || extract === "") return summaries;
  try {
    const { text, title } = await llmSummary(turns(), llm, signal);
    summaries.push({ source: "llm", upToTurn, text, model: llm.id, ...(title === null ? {} : { title }) });
  } catch (error) {
    signal?.throwIfAborted();
    log.warn(`No summary by ${llm.id}: ${messageOf(error)}`);
  }
  return summaries;
}

function lastNumber(turns: Iterable<Turn>): number {
  let last = 0;
  for (const { number } of turns) last = Math.max(last, number);
  return last;
}
