import type { Embedder } from "../../models/embed/embedder.ts";
import type { ModelStatus } from "../../protocol/routes.ts";
import { sessionChunkCount } from "../../store/memory/chunks/chunks.ts";
import { sessionVectorCounts } from "../../store/memory/chunks/vectors.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { TextEmbedders } from "./text-embedders.ts";
import type { TextPass } from "./text-pass.ts";

/** How far each model has come with the chunks of conversations. */
export function describeTextModels(
  memory: Memory,
  { first, second }: TextEmbedders,
  pass: TextPass | null,
): ModelStatus[] {
  const total = sessionChunkCount(memory);
  const counts = sessionVectorCounts(memory);
  return [first, second].flatMap((model): ModelStatus[] => {
    if (model === null) return [];
    const { chunks = 0, missing = 0 } = counts.find((counted) => counted.model === model.id) ?? {};
    return [describe(model, { total, chunks, missing }, model === second ? pass : null)];
  });
}

function describe(
  model: Embedder,
  { total, chunks, missing }: { total: number; chunks: number; missing: number },
  pass: TextPass | null,
): ModelStatus {
  const { problem = null, chunksPerSecond = 0 } = pass?.progress ?? {};
  const pending = Math.max(total - chunks, 0);
  const isWorking = pass?.isBusy() === true;
  return {
    id: model.id,
    dimensions: model.dimensions,
    state: problem !== null ? "unavailable" : pending === 0 ? "ready" : isWorking ? "embedding" : "waiting",
    message: problem,
    chunks_total: total,
    chunks_embedded: chunks - missing,
    chunks_missing: missing,
    chunks_pending: pending,
    eta_seconds: isWorking && chunksPerSecond > 0 ? Math.ceil(pending / chunksPerSecond) : null,
    usage: model.usage?.() ?? null,
  };
}
