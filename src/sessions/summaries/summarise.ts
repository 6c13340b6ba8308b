import type { Llm } from "../../models/generate/llm.ts";
import type { SummarySource } from "../../protocol/values.ts";
import type { Turn } from "../turn-content.ts";
import { findCompactionSummaries } from "./compaction.ts";
import { type SummaryMeta, summariseInSteps } from "./extractive/extractive.ts";
import { requestLlmSummary } from "./llm-summary.ts";

export interface WrittenSummary {
  source: SummarySource;
  /** It covers the turns up to this one. */
  upToTurn: number;
  text: string;
  /** The generator that wrote it; null for the others. */
  model: string | null;
  /** A title and key phrases for the session, where the generator gave some. */
  title?: string;
  topics?: readonly string[];
}

interface SummariseOptions extends SummaryMeta {
  /** The model that writes a summary; null: none. */
  llm: Llm | null;
  signal?: AbortSignal | undefined;
  /** Called between turns, for others to have their turn. */
  pause?: (() => Promise<void>) | undefined;
  /** Why the model gave no summary. */
  onFailure: (error: unknown) => void;
}

/**
 * Every summary of a session that can be had now: the extractive one, the agent's own from each compaction, and the
 * language model's. A model that fails only leaves its summary out.
 * @param turns gives the turns anew with each call, so that a long session need not be held in memory
 * @throws only the signal's reason when it is aborted
 */
export async function summarise(
  turns: () => Iterable<Turn>,
  { llm, signal, pause, onFailure, relativize }: SummariseOptions,
): Promise<WrittenSummary[]> {
  signal?.throwIfAborted();
  const outline: Turn[] = [];
  const steps = summariseInSteps(collectOutline(turns(), outline), { relativize });
  let step = steps.next();
  for (; !step.done; step = steps.next()) await pause?.();
  const extract = step.value;
  const upToTurn = Math.max(0, ...outline.map(({ number }) => number));
  const summaries: WrittenSummary[] = [];
  if (extract !== "") summaries.push({ source: "extractive", upToTurn, text: extract, model: null });
  for (const { text, upToTurn: compactedAt } of findCompactionSummaries(outline)) {
    summaries.push({ source: "compaction", upToTurn: compactedAt, text, model: null });
  }
  if (llm === null || extract === "") return summaries;
  try {
    const { text, title, topics } = await requestLlmSummary(turns(), llm, signal);
    const names = { ...(title !== null && { title }), topics };
    summaries.push({ source: "llm", upToTurn, text, model: llm.id, ...names });
  } catch (error) {
    signal?.throwIfAborted();
    onFailure(error);
  }
  return summaries;
}

/** The same turns, with what tells of compactions kept aside: reading a turn takes longer than anything else. */
function* collectOutline(turns: Iterable<Turn>, outline: Turn[]): Generator<Turn, void, void> {
  for (const turn of turns) {
    const lines = turn.lines.map((line) => ({
      ...line,
      entries: line.entries.filter(({ kind }) => kind === "prompt" || kind === "summary"),
    }));
    outline.push({ ...turn, lines: lines.filter(({ entries }) => entries.length > 0) });
    yield turn;
  }
}
