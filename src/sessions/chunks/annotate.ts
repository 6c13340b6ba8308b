import { listAnnotations, saveAnnotation } from "../../store/memory/chunks/annotations.ts";
import { replaceAnnotatedChunk } from "../../store/memory/chunks/chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { ChunkToStore } from "../../store/memory/memory-records.ts";
import type { PositionedLine } from "../ingest/session-state.ts";
import { annotationUid, isSameNote, notesIn } from "../notes/notes.ts";
import { storedTurns } from "../stored-turns.ts";
import type { Turn } from "../turn-content.ts";
import { annotatedChunk, noteAlone } from "./annotated.ts";
import type { ChunkOptions, DraftChunk } from "./chunker.ts";

/** A note found in a prompt, with its chunk. */
export interface NotedChunk {
  uid: string;
  note: string;
  turn: number;
  lineUid: string | null;
  at: number | null;
  branch: string | null;
  draft: DraftChunk;
}

/** Turns before that of a note which its chunk may take from. */
export const turnsBefore = 3;

/**
 * The notes in prompts that are about to be stored. The n-th equal note of a session always gets the same uid, so a
 * note that a hook has already stored is found again.
 */
export function findNotes(
  memory: Memory,
  session: { id: number; uid: string },
  positioned: readonly PositionedLine[],
  turns: readonly Turn[],
  options: ChunkOptions,
): NotedChunk[] {
  const found: NotedChunk[] = [];
  const seen = new Map<string, number>();
  for (const { line, turn } of positioned) {
    for (const entry of line.entries) {
      if (entry.kind !== "prompt") continue;
      for (const note of notesIn(entry.text)) {
        const ordinal = seen.get(note) ?? writtenBefore(memory, session.uid, note);
        seen.set(note, ordinal + 1);
        const around = turnsAround(memory, session.id, turn, turns);
        found.push({
          uid: annotationUid(session.uid, note, ordinal),
          note,
          turn,
          lineUid: line.uid,
          at: line.at,
          branch: line.branch,
          draft: annotatedChunk(note, line.uid, around, options) ?? noteAlone(note, turn, line.at),
        });
      }
    }
  }
  return found;
}

/** How often a session's stored prompts contain a note. */
function writtenBefore(memory: Memory, sessionUid: string, note: string): number {
  const known = listAnnotations(memory, { sessionUid });
  return known.filter((one) => one.lineUid !== null && isSameNote(one.note, note)).length;
}

/** A turn and those before it, whether stored or still to be. */
function turnsAround(memory: Memory, sessionId: number, number: number, fresh: readonly Turn[]): Turn[] {
  const first = Math.max(number - turnsBefore, 0);
  const known = new Map(fresh.map((turn) => [turn.number, turn]));
  for (const turn of storedTurns(memory, sessionId, { first, last: number })) {
    if (!known.has(turn.number)) known.set(turn.number, turn);
  }
  return [...known.values()]
    .filter((turn) => turn.number >= first && turn.number <= number)
    .sort((a, b) => a.number - b.number);
}

/** Stores notes and their chunks; those that the user had forgotten are left out. To be called in a transaction. */
export function storeNotes(
  memory: Memory,
  session: { id: number; uid: string },
  notes: readonly NotedChunk[],
  chunkOf: (draft: DraftChunk, annotationId: number, index: number) => ChunkToStore,
): void {
  notes.forEach(({ uid, note, turn, lineUid, at, branch, draft }, i) => {
    const annotationId = saveAnnotation(memory, {
      uid,
      sessionUid: session.uid,
      turn,
      lineUid,
      at: at ?? Date.now(),
      source: "prompt",
      branch,
      note,
    });
    if (annotationId === null) return;
    replaceAnnotatedChunk(memory, session.id, { ...chunkOf(draft, annotationId, i), annotationId });
  });
}
