import { dayMs } from "../../base/text/day.ts";
import type { Llm } from "../../models/generate/llm.ts";
import { isUnanswerable } from "../../models/http/request.ts";
import {
  findNextForModel,
  findNextToRest,
  isModelSummaryMissing,
  listChunksToSummarise,
  saveChunkSummary,
  saveUnusable,
} from "../../store/memory/sessions/summaries.ts";
import type { SessionWork } from "../work.ts";
import { chunkSummary } from "./llm-summary.ts";
import { sumUpSession } from "./sum-up.ts";

/** A session that says nothing for so long is taken to be over. Milliseconds. */
const restMs = 3_600_000;
/** What the model gave no usable answer to is asked again after so long. Milliseconds. */
const askAgainMs = 7 * dayMs;
/** Shorter chunks are shown as they are. Characters. */
const minChunkLength = 400;

interface ModelSummaryOptions extends SessionWork {
  /** Asked within its budget (models/generate/budget.ts). */
  llm: Llm;
  /** Whether it sums up chunks as well. */
  withChunks: boolean;
}

const buildModelRequest = (
  { llm, withChunks }: Pick<ModelSummaryOptions, "llm" | "withChunks">,
  now: number,
) => ({
  model: llm.id,
  minChunkLength: withChunks ? minChunkLength : null,
  restsSince: now - restMs,
  askedBefore: now - askAgainMs,
});

/** When there is something for the model to sum up: now, or once a session rests; null: nothing is known yet. */
export function findNextModelSummaryTime(
  options: Pick<ModelSummaryOptions, "memory" | "llm" | "withChunks">,
  now = Date.now(),
): number | null {
  const { memory } = options;
  if (findNextForModel(memory, buildModelRequest(options, now)) !== null) return now;
  const lastAt = findNextToRest(memory, buildModelRequest(options, now));
  return lastAt === null ? null : lastAt + restMs;
}

/**
 * Has a language model sum up the newest session that lacks it, imported ones too: as a whole, and, if wanted, each longer
 * chunk. Call it again until nothing is left; what was written stays when it is stopped.
 * @returns how many chunks of summaries it wrote
 * @throws PommelError `llm_unavailable` when the model is away or its budget used up; the signal's reason
 */
export async function summariseNext(
  options: ModelSummaryOptions,
  {
    signal,
    onProgress,
    now = Date.now(),
  }: {
    signal?: AbortSignal | undefined;
    onProgress?: (done: number, total: number) => void;
    now?: number;
  } = {},
): Promise<number> {
  const { memory, llm, withChunks } = options;
  const work = buildModelRequest(options, now);
  const session = findNextForModel(memory, work);
  if (session === null) return 0;
  let chunks = 0;
  if (isModelSummaryMissing(memory, session.id, work)) {
    let problem: unknown = null;
    const onFailure = (error: unknown) => {
      problem = error;
    };
    chunks = (await sumUpSession(options, session.uid, { signal, onFailure }))?.chunks ?? 0;
    if (problem !== null && !isUnanswerable(problem)) throw problem;
    // Also where there was nothing to ask about.
    if (isModelSummaryMissing(memory, session.id, work)) saveUnusable(memory, session.id, llm.id, now);
  }
  const parts = withChunks ? listChunksToSummarise(memory, session.id, minChunkLength) : [];
  for (const [i, part] of parts.entries()) {
    onProgress?.(i, parts.length);
    const summary = await chunkSummary(part.text, llm, signal).catch((error: unknown) => {
      signal?.throwIfAborted();
      if (isUnanswerable(error)) return "";
      throw error;
    });
    saveChunkSummary(memory, part, { model: llm.id, summary });
  }
  return chunks;
}
