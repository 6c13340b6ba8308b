import type { EmbedProgress } from "../../models/embed/embed-pass.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { type Embedders, modelsOf } from "../../models/embed/embedders.ts";
import { explanationOf } from "../../project/errors.ts";
import type { ModelStatus } from "../../protocol/operations/status.ts";
import type { CodeIndex, VectorCounts } from "../../store/index/port.ts";

/** What is stored about the models. */
interface StoredVectors {
  /** Chunks there are. */
  total: number;
  /** `dimensions` left out: a model has vectors of one length. */
  counts: readonly (Omit<VectorCounts, "dimensions"> & { dimensions?: number })[];
}

/** What a running daemon knows about a model beyond what is stored. */
export interface ModelLife {
  progressOf: (model: string) => EmbedProgress | null;
  /** Why it could not be used the last time. */
  problemWith: (model: string) => string | null;
}

/** How many chunks of a code index each model in use has embedded, and what stops it. */
export async function describeCodeModels(
  index: CodeIndex,
  embedders: Embedders,
  life: ModelLife = { progressOf: () => null, problemWith: () => null },
): Promise<ModelStatus[]> {
  const [{ chunks: total }, counts] = await Promise.all([index.counts(), index.vectorCounts()]);
  // Asks no server: only the first model, which is at hand, is made ready to see whether that works.
  const broken = embedders.first && (await problemOf(embedders.first));
  return describeModels(
    modelsOf(embedders),
    { total, counts },
    {
      progressOf: (model) => life.progressOf(model),
      problemWith: (model) => life.problemWith(model) ?? (model === embedders.first?.id ? broken : null),
    },
  );
}

async function problemOf(model: Embedder): Promise<string | null> {
  try {
    await model.prepare();
    return null;
  } catch (error) {
    return explanationOf(error);
  }
}

/** How many stored texts each model has embedded, and what stops it. */
export function describeModels(
  models: readonly Embedder[],
  { total, counts }: StoredVectors,
  life: ModelLife,
): ModelStatus[] {
  return models.map((model) => {
    const { id, dimensions } = model;
    const stored = counts.find(
      (counted) =>
        counted.model === id &&
        (dimensions === 0 || counted.dimensions === undefined || counted.dimensions === dimensions),
    );
    const { chunks, missing } = stored ?? { chunks: 0, missing: 0 };
    const pending = Math.max(total - chunks, 0);
    const progress = life.progressOf(id);
    const message = progress?.problem ?? life.problemWith(id);
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
  });
}
