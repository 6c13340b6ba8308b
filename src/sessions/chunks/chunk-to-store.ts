import type { Embedder } from "../../models/embed/embedder.ts";
import type { ChunkToStore, PassageVectors, SessionRecord } from "../../store/memory/memory-records.ts";
import type { DraftChunk } from "./chunker.ts";

/** A chunk with its place in its session. */
export function chunkToStore(
  session: Pick<SessionRecord, "uid">,
  { chunk, terms, decisions }: DraftChunk,
  { position, annotationId = null }: { position: number; annotationId?: number | null },
  embedder: Embedder | null,
  vectors: PassageVectors | undefined,
): ChunkToStore {
  return {
    ...chunk,
    uid: `${session.uid}:${chunk.type}:${position}`,
    position,
    annotationId,
    terms,
    ...(decisions && { decisions }),
    vectors: new Map(embedder && vectors ? [[embedder.id, vectors]] : []),
  };
}
