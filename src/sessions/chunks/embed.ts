import type { Embeddable, EmbedSource } from "../../models/embed/embed-pass.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { listChunksWithoutVector, readChunksByIds } from "../../store/memory/chunks/chunks.ts";
import { keepSessionModels, storeSessionVectors } from "../../store/memory/chunks/vectors.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { ChunkTerms, PassageVectors, SessionChunkId } from "../../store/memory/memory-records.ts";
import { splitIntoPassages, splitTextBySpeaker } from "./passages.ts";

interface EmbeddableChunk extends Embeddable {
  id: SessionChunkId;
}

/**
 * The session chunks that lack vectors.
 * @param alsoUsed models whose vectors are kept as well: chunks are embedded with them while they are stored
 */
export function createChunkEmbedSource(
  memory: Memory,
  alsoUsed: readonly string[] = [],
): EmbedSource<SessionChunkId, EmbeddableChunk> {
  return {
    batchSize: 32,
    missing: async ({ id }) => listChunksWithoutVector(memory, id),
    async read(id) {
      const chunk = readChunksByIds(memory, [id]).get(id);
      return chunk ? { id, texts: splitIntoPassages(splitTextBySpeaker(chunk.text)), chunks: 1 } : null;
    },
    async store({ model }, embedded) {
      const vectors = embedded.map(({ item, vectors }) => [item.id, packPassageVectors(vectors)] as const);
      storeSessionVectors(memory, model, new Map(vectors));
    },
    keepModels: async (models) => keepSessionModels(memory, [...models, ...alsoUsed]),
  };
}

/**
 * The vectors of each chunk's passages, in order.
 * @throws PommelError `embedder_unavailable`
 */
export async function embedChunks(
  embedder: Embedder,
  chunks: readonly ChunkTerms[],
  signal?: AbortSignal,
): Promise<PassageVectors[]> {
  const passages = chunks.map(splitIntoPassages);
  const vectors = await embedder.embed(passages.flat(), "passage", signal);
  let next = 0;
  return passages.map((ofChunk) => {
    const its = vectors.slice(next, next + ofChunk.length);
    next += ofChunk.length;
    return packPassageVectors(its);
  });
}

/** The vectors of a chunk's passages as they are stored. */
function packPassageVectors(vectors: readonly (Int8Array | null)[]): PassageVectors {
  const known = vectors.filter((vector) => vector !== null);
  const dimensions = known[0]?.length ?? 0;
  const data = new Int8Array(known.length * dimensions);
  known.forEach((vector, i) => {
    data.set(vector, i * dimensions);
  });
  return { dimensions, data };
}
