import type { Embeddable, EmbedSource } from "../../../models/embed/embed-pass.ts";
import { chunksByIds, chunksWithoutVector } from "../../../store/memory/chunks/chunks.ts";
import { keepSessionModels, storeSessionVectors } from "../../../store/memory/chunks/vectors.ts";
import type { Memory } from "../../../store/memory/memory.ts";
import type { ChunkTerms, SessionChunkId } from "../../../store/memory/memory-records.ts";
import { sideBySide } from "./embed-chunks.ts";
import { passagesOf } from "./passages.ts";

interface EmbeddableChunk extends Embeddable {
  id: SessionChunkId;
}

/**
 * The session chunks that lack vectors.
 * @param alsoUsed models whose vectors are kept as well: chunks are embedded with them while they are stored
 */
export function chunksToEmbed(
  memory: Memory,
  alsoUsed: readonly string[] = [],
): EmbedSource<SessionChunkId, EmbeddableChunk> {
  return {
    batchSize: 32,
    missing: async ({ id }) => chunksWithoutVector(memory, id),
    async read(id) {
      const chunk = chunksByIds(memory, [id]).get(id);
      return chunk ? { id, texts: passagesOf(termsOfText(chunk.text)), chunks: 1 } : null;
    },
    async store({ model }, embedded) {
      const vectors = embedded.map(({ item, vectors }) => [item.id, sideBySide(vectors)] as const);
      storeSessionVectors(memory, model, new Map(vectors));
    },
    keepModels: async (models) => keepSessionModels(memory, [...models, ...alsoUsed]),
  };
}

const streams: Record<string, keyof ChunkTerms> = { USER: "prompt", NOTE: "prompt", ASSISTANT: "answer" };

/** A stored chunk's text by speaker. Its source is not stored, and the displayed text is enough here. */
export function termsOfText(text: string): ChunkTerms {
  const terms: Record<keyof ChunkTerms, string[]> = { prompt: [], answer: [], actions: [], errors: [] };
  for (const part of text.split(/\n\n(?=\[[A-Z_]+\] )/)) {
    const [label, speaker = "ASSISTANT"] = /^\[([A-Z_]+)\] /.exec(part) ?? [""];
    terms[streams[speaker] ?? "actions"].push(part.slice(label.length));
  }
  return {
    prompt: terms.prompt.join("\n"),
    answer: terms.answer.join("\n"),
    actions: terms.actions.join("\n"),
    errors: "",
  };
}
