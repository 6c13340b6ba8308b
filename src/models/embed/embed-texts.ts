import { setImmediate as nextTurn } from "node:timers/promises";
import { getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import type { Embedder } from "./embedder.ts";

/** Texts per batch: enough to keep threads busy, few enough to stop soon. */
const batchSize = 64;
/** When this many texts fail in a row without success, the model is at fault. */
const maxFailuresInRow = 16;

/**
 * The vectors of passages, in order; null for a text that has none, or that the embedder fails on alone. Lets others
 * run between batches.
 * @throws PommelError `embedder_unavailable`, also for vectors of a wrong length; the signal's reason when aborted
 */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<(Int8Array | null)[]> {
  const vectors: (Int8Array | null)[] = [];
  for (let start = 0; start < texts.length; start += batchSize) {
    if (start > 0) await nextTurn();
    vectors.push(...(await embedBatch(embedder, texts.slice(start, start + batchSize), signal)));
  }
  return vectors;
}

async function embedBatch(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<(Int8Array | null)[]> {
  try {
    return await embedTogether(embedder, texts, signal);
  } catch (error) {
    if (signal.aborted || getErrorCode(error) === "embedder_unavailable") throw error;
  }
  // Find the failing text.
  const vectors: (Int8Array | null)[] = [];
  let failures = 0;
  let cause: unknown;
  for (const text of texts) {
    try {
      vectors.push(...(await embedTogether(embedder, [text], signal)));
    } catch (error) {
      if (signal.aborted || getErrorCode(error) === "embedder_unavailable") throw error;
      vectors.push(null);
      failures++;
      cause = error;
    }
  }
  if (failures >= maxFailuresInRow && failures === texts.length) {
    const message = `${embedder.id} failed on each of ${failures} texts: ${getErrorMessage(cause)}`;
    throw new PommelError("embedder_unavailable", message, "See `pm daemon logs`.", { cause });
  }
  return vectors;
}

async function embedTogether(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<(Int8Array | null)[]> {
  const vectors = await embedder.embed(texts, "passage", signal);
  const { id, dimensions } = embedder;
  const odd = vectors.find((vector) => vector !== null && vector.length !== dimensions);
  if (!odd && vectors.length === texts.length) return vectors;
  throw new PommelError(
    "embedder_unavailable",
    odd
      ? `${id} returned a vector of ${odd.length} dimensions instead of ${dimensions}.`
      : `${id} returned ${vectors.length} vectors for ${texts.length} texts.`,
    "Check which model its server runs.",
  );
}
