import { toSpeaker } from "../../protocol/origin.ts";
import type { SessionResult } from "../../protocol/results.ts";
import { readChunkOutlines, type StoredSessionChunk } from "../../store/memory/chunks/chunks.ts";
import { readNotesByIds } from "../../store/memory/chunks/notes.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionChunkId } from "../../store/memory/memory-records.ts";
import { readSessionsByIds } from "../../store/memory/sessions/sessions.ts";
import { createRejectionLookup } from "../notes/notes.ts";
import { FileAges } from "./fate/freshness.ts";
import type { OtherTurn } from "./types.ts";

/** Other turns of a result that are named. */
export const maxOtherTurns = 10;

/** The facts about a chunk that do not depend on the question. */
export type DescribedChunk = Omit<
  SessionResult,
  "score" | "snippet" | "summary" | "match_reasons" | "more_turns" | "other_turns"
>;

/**
 * Tells the facts about these chunks that do not depend on the question.
 * @param root paths of touched files are relative to it
 */
export function createChunkDescriber(
  memory: Memory,
  root: string,
  chunks: readonly StoredSessionChunk[],
): (chunk: StoredSessionChunk) => DescribedChunk {
  const sessions = readSessionsByIds(memory, [...new Set(chunks.map(({ sessionId }) => sessionId))]);
  const notes = readNotesByIds(
    memory,
    chunks.flatMap(({ annotationId }) => annotationId ?? []),
  );
  const ages = new FileAges(root);
  const rejectionOf = createRejectionLookup(memory);
  return (chunk) => {
    const session = sessions.get(chunk.sessionId);
    const note = chunk.annotationId === null ? undefined : notes.get(chunk.annotationId);
    const author = note?.author ?? session?.author ?? null;
    return {
      id: chunk.uid,
      source: "transcript",
      session_id: session?.uid ?? "",
      session_title: session?.title ?? null,
      agent: session?.agent ?? "",
      ...(author !== null && { author }),
      branch: chunk.branch,
      turn: chunk.firstTurn,
      last_turn: chunk.lastTurn,
      chunk_type: chunk.type,
      kind: chunk.kind,
      event_type: chunk.eventType,
      timestamp: toIsoOrNull(chunk.startedAt),
      annotation: note?.note ?? null,
      ...(note !== undefined && { note_by: toSpeaker(note.source) }),
      content: chunk.text,
      files: chunk.files,
      freshness: ages.assessFreshness(chunk.files, chunk.endedAt),
      abandoned: chunk.abandoned,
      rejected: session === undefined ? null : rejectionOf(session.uid),
      commits: [],
    };
  };
}

/** How many other turns of its session match, and the first of them. */
export function listOtherTurns(
  memory: Memory,
  others: readonly { id: SessionChunkId; score: number }[],
): Pick<SessionResult, "more_turns" | "other_turns"> {
  const named = others.slice(0, maxOtherTurns);
  const outlines = readChunkOutlines(
    memory,
    named.map(({ id }) => id),
  );
  const turns = named.flatMap(({ id: chunk, score }): OtherTurn[] => {
    const outline = outlines.get(chunk);
    if (!outline) return [];
    const { uid: id, firstTurn: turn, lastTurn: last_turn, type: chunk_type, kind, startedAt } = outline;
    return [{ id, turn, last_turn, chunk_type, kind, timestamp: toIsoOrNull(startedAt), score }];
  });
  return { more_turns: others.length, other_turns: turns };
}

export const toIsoOrNull = (at: number | null) => (at === null ? null : new Date(at).toISOString());
