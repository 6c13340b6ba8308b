import type { Embedder } from "../../../models/embed/embedder.ts";
import type { ChunkTerms, PassageVectors } from "../../../store/memory/memory-records.ts";
import { passagesOf } from "./passages.ts";

/**
 * The vectors of each chunk's passages, in order.
 * @throws PommelError `embedder_unavailable`
 */
export async function embedChunks(
  embedder: Embedder,
  chunks: readonly ChunkTerms[],
  signal?: AbortSignal,
): Promise<PassageVectors[]> {
  const passages = chunks.map(passagesOf);
  const vectors = await embedder.embed(passages.flat(), "passage", signal);
  let next = 0;
  return passages.map((ofChunk) => {
    const its = vectors.slice(next, next + ofChunk.length);
    next += ofChunk.length;
    return sideBySide(its);
  });
}

/** The vectors of a chunk's passages as they are stored. */
export function sideBySide(vectors: readonly (Int8Array | null)[]): PassageVectors {
  const known = vectors.filter((vector) => vector !== null);
  const dimensions = known[0]?.length ?? 0;
  const data = new Int8Array(known.length * dimensions);
  known.forEach((vector, i) => {
    data.set(vector, i * dimensions);
  });
  return { dimensions, data };
}
