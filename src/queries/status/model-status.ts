import { type CodeEmbedders, modelsOf } from "../../code/index/code-embedders.ts";
import type { EmbedProgress } from "../../code/index/embed-pass.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { explanationOf } from "../../project/errors.ts";
import type { ModelStatus } from "../../protocol/routes.ts";
import type { CodeIndex } from "../../store/index/code-index.ts";
import { type VectorCounts, vectorCounts } from "../../store/index/code-vectors.ts";

/** What a running daemon knows of a model besides what is stored. */
interface ModelLife {
  progressOf: (model: string) => EmbedProgress | null;
  /** Why it could not embed the last query. */
  problemWith: (model: string) => string | null;
}

/** How far each model in use has come with the chunks of an index, and what keeps it from going on. */
export async function describeModels(
  index: CodeIndex,
  embedders: CodeEmbedders,
  life: ModelLife = { progressOf: () => null, problemWith: () => null },
): Promise<ModelStatus[]> {
  const models = modelsOf(embedders);
  const problems = await Promise.all(models.map((model) => problemOf(model, embedders, life)));
  const stored = { total: index.chunkCount(), counts: vectorCounts(index) };
  return models.map((model, i) => describeModel(model, stored, life.progressOf(model.id), problems[i]!));
}

function describeModel(
  model: Embedder,
  { total, counts }: { total: number; counts: readonly VectorCounts[] },
  progress: EmbedProgress | null,
  message: string | null,
): ModelStatus {
  const { id, dimensions } = model;
  const stored = counts.find(
    (counted) => counted.model === id && (dimensions === 0 || counted.dimensions === dimensions),
  );
  const { chunks, missing } = stored ?? { chunks: 0, missing: 0 };
  const pending = Math.max(total - chunks, 0);
  const isWorking = progress?.state === "embedding";
  const rate = progress?.chunksPerSecond ?? 0;
  return {
    id,
    dimensions: dimensions || (stored?.dimensions ?? 0),
    state: message !== null ? "unavailable" : pending === 0 ? "ready" : isWorking ? "embedding" : "waiting",
    message,
    chunks_total: total,
    chunks_embedded: chunks - missing,
    chunks_missing: missing,
    chunks_pending: pending,
    eta_seconds: isWorking && message === null && rate > 0 ? Math.ceil(pending / rate) : null,
    usage: model.usage?.() ?? null,
  };
}

/** Asks no server: only the first model, which is at hand, is made ready to see whether that works. */
async function problemOf(model: Embedder, { first }: CodeEmbedders, life: ModelLife): Promise<string | null> {
  const known = life.progressOf(model.id)?.problem ?? life.problemWith(model.id);
  if (known !== null || model !== first) return known;
  try {
    await model.prepare();
    return null;
  } catch (error) {
    return explanationOf(error);
  }
}
