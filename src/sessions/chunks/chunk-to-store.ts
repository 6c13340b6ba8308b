import { splitText } from "../../base/text/split-text.ts";
import { charactersOfToken } from "../../base/text/text-size.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import type { ChunkToStore, PassageVectors, SessionRecord } from "../../store/memory/memory-records.ts";
import type { ChunkDraft, DraftChunk } from "./chunker.ts";
import { classifyText, type KindRules } from "./kinds.ts";
import { noTerms } from "./units/units.ts";

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

export interface SummaryOfTurns {
  text: string;
  /** The turns that it covers, and their time: from the session's first line to the last line that it covers. */
  firstTurn: number;
  upToTurn: number;
  startedAt: number | null;
  endedAt: number | null;
  branch: string | null;
  files: string[];
}

/** The chunk of a summary, or several where it is long. They cover no lines. */
export function buildSummaryChunks(
  summary: SummaryOfTurns,
  options: { maxTokens: number; kinds: KindRules },
): DraftChunk[] {
  const { text, firstTurn, upToTurn, startedAt, endedAt, branch, files } = summary;
  return splitText(text.trim(), options.maxTokens * charactersOfToken).map((piece) => {
    const chunk: ChunkDraft = {
      firstTurn,
      lastTurn: upToTurn,
      firstSeq: null,
      lastSeq: null,
      type: "summary",
      kind: classifyText(piece, options.kinds),
      eventType: "assistant",
      abandoned: false,
      branch,
      startedAt,
      endedAt,
      text: piece,
      files: [...files],
    };
    return { chunk, terms: { ...noTerms, answer: piece } };
  });
}
