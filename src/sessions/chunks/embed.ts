import type { Embeddable, EmbedSource } from "../../models/embed/embed-pass.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { listChunksWithoutVector, readChunksByIds } from "../../store/memory/chunks/chunks.ts";
import { keepSessionModels, storeSessionVectors } from "../../store/memory/chunks/vectors.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { ChunkTerms, PassageVectors, SessionChunkId } from "../../store/memory/memory-records.ts";

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

const streams: Record<string, keyof ChunkTerms> = { USER: "prompt", NOTE: "prompt", ASSISTANT: "answer" };

/** A stored chunk's text by speaker. Its source is not stored, and the displayed text is enough here. */
export function splitTextBySpeaker(text: string): ChunkTerms {
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

/** A passage is cut at the line after which it would be longer. Characters. */
const maxPassageChars = 600;
/** Shorter ones say nothing by themselves. */
const minPassageChars = 20;
/** Characters of a passage about actions. */
const maxActions = 600;
const maxErrors = 600;

/**
 * The texts that a chunk's vectors are made from: a passage for every paragraph or two of the conversation, and one for
 * the actions. A question is about a sentence or two, which the mean of a long chunk would hide.
 */
export function splitIntoPassages({ prompt, answer, actions, errors }: ChunkTerms): string[] {
  const done = [actions.slice(0, maxActions), errors.slice(0, maxErrors)].filter((part) => part !== "");
  const all = [...splitIntoParagraphs(prompt), ...splitIntoParagraphs(answer), done.join("\n")];
  const telling = all.filter((passage) => passage.trim().length > minPassageChars);
  // A note may be two words, and must be found by its meaning all the same.
  const whole = all.join("\n").trim();
  return telling.length > 0 || whole === "" ? telling : [whole];
}

function splitIntoParagraphs(text: string): string[] {
  const passages: string[] = [];
  let current = "";
  for (const line of text.split(/\n+/)) {
    if (current !== "" && current.length + line.length > maxPassageChars) {
      passages.push(current);
      current = "";
    }
    current += current === "" ? line : `\n${line}`;
  }
  return [...passages, current];
}
