import { embedTexts } from "../../models/embed/embed-texts.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { createStaticEmbedder } from "../../models/embed/static/static-embedder.ts";
import { explanationOf } from "../../project/errors.ts";
import type { FileVectors } from "../../store/index/records.ts";

/** To find out that the model cannot be loaded takes longer than to parse a file. Milliseconds. */
const pauseMs = 30_000;

/** Embeds the chunks of files with the bundled model, in the thread that parses them. */
export class ChunkEmbedder {
  private readonly embedder: Embedder;
  private readonly never = new AbortController().signal;
  private pausedUntil = 0;

  constructor(modelDir?: string) {
    this.embedder = createStaticEmbedder(modelDir);
  }

  /** The vectors of a file's chunks, or why there are none; neither while the model is left alone after a failure. */
  async embed(texts: readonly string[]): Promise<{ vectors?: FileVectors; vectorProblem?: string }> {
    if (Date.now() < this.pausedUntil) return {};
    const { id: model, dimensions } = this.embedder;
    try {
      const vectors = sideBySide(await embedTexts(this.embedder, texts, this.never), dimensions);
      return { vectors: { model, dimensions, vectors } };
    } catch (error) {
      this.pausedUntil = Date.now() + pauseMs;
      return { vectorProblem: explanationOf(error) };
    }
  }
}

/** The same vectors in one piece of memory: between threads, pieces cost more than bytes. */
function sideBySide(vectors: readonly (Int8Array | null)[], dimensions: number): (Int8Array | null)[] {
  const data = new Int8Array(vectors.length * dimensions);
  return vectors.map((vector, i) => {
    if (vector === null) return null;
    data.set(vector, i * dimensions);
    return data.subarray(i * dimensions, (i + 1) * dimensions);
  });
}
