import type { Embedder } from "../../models/embed/embedder.ts";
import { listAnnotations } from "../../store/memory/chunks/annotations.ts";
import { keepNewestChunks, replaceAnnotatedChunk, replaceChunks } from "../../store/memory/chunks/chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { AnnotationRecord, PassageVectors, SessionRecord } from "../../store/memory/memory-records.ts";
import { positionAfterTurn, stampOfTurns } from "../../store/memory/privacy/rewrite.ts";
import { turnsOf } from "../../store/memory/sessions/turns.ts";
import { relativizer } from "../relative-paths.ts";
import { storedTurns, turnBefore } from "../stored-turns.ts";
import type { Turn } from "../turn-content.ts";
import type { SessionWork } from "../work.ts";
import { turnsBefore } from "./annotate.ts";
import { annotatedChunk, noteAlone } from "./annotated.ts";
import { chunkToStore } from "./chunk-to-store.ts";
import { type ChunkOptions, chunkGroup, type DraftChunk } from "./chunker.ts";
import { embedChunks } from "./embed/embed-chunks.ts";

/** A session that grows meanwhile is cut again, so often at most. */
const maxTries = 5;

/**
 * Cuts a session into chunks again from a turn on, as its turns have changed: the groups stay, and with them the chunks
 * before. Chunks of notes that may take from those turns are made again as well.
 * @returns how many chunks were written
 */
export async function rechunkSession(
  work: SessionWork,
  session: SessionRecord,
  from: number,
  signal?: AbortSignal,
): Promise<number> {
  const { memory, maxChunks } = work;
  const options = chunkOptionsFor(work, session);
  // A chunk of its group may have held the turn, even if it is gone now.
  const first = turnsOf(memory, session.id, { last: from - 1 }).at(-1)?.groupStart ?? 0;
  for (let tries = 1; ; tries++) {
    const stamp = stampOfTurns(memory, session.id, first);
    const drafts: DraftChunk[] = [];
    for (const group of groupsFrom(work, session.id, first))
      drafts.push(...chunkGroup(group, options, turnBefore(memory, session.id, group)));
    const notes = drafts.length === 0 ? [] : notesFrom(memory, session, from);
    const noteDrafts = notes.map((note) => noteDraft(work, session, note, options));
    const all = [...drafts, ...noteDrafts];
    const vectors = await vectorsOf(work.embedder, all, signal);
    const isWritten = memory.inTransaction(() => {
      if (tries < maxTries && stampOfTurns(memory, session.id, first) !== stamp) return false;
      const position = positionAfterTurn(memory, session.id, first);
      const chunks = drafts.map((draft, i) =>
        chunkToStore(session, draft, { position: position + i }, work.embedder, vectors[i]),
      );
      replaceChunks(memory, session.id, { type: "raw", from: position }, chunks);
      notes.forEach(({ id }, i) => {
        const place = { position: id, annotationId: id };
        const made = vectors[drafts.length + i];
        const chunk = chunkToStore(session, noteDrafts[i]!, place, work.embedder, made);
        replaceAnnotatedChunk(memory, session.id, { ...chunk, annotationId: id });
      });
      if (maxChunks > 0) keepNewestChunks(memory, session.id, maxChunks);
      return true;
    });
    if (isWritten) return all.length;
  }
}

const notesFrom = (memory: Memory, { uid }: SessionRecord, from: number) =>
  listAnnotations(memory, { sessionUid: uid }).filter(({ turn }) => (turn ?? 0) >= from);

/** The options for chunking a session. */
export function chunkOptionsFor(
  { chunks, root, worktrees }: Pick<SessionWork, "chunks" | "root" | "worktrees">,
  { cwd }: Pick<SessionRecord, "cwd">,
): ChunkOptions {
  return { ...chunks, relativize: relativizer({ root, worktrees, cwd }) };
}

/** The chunk of a stored note, made from the conversation before it. */
export function noteDraft(
  { memory }: Pick<SessionWork, "memory">,
  session: Pick<SessionRecord, "id">,
  { note, turn, lineUid, at }: Pick<AnnotationRecord, "note" | "turn" | "lineUid" | "at">,
  options: ChunkOptions,
): DraftChunk {
  const number = turn ?? 0;
  const around = [
    ...storedTurns(memory, session.id, { first: Math.max(number - turnsBefore, 0), last: number }),
  ];
  return annotatedChunk(note, lineUid, around, options) ?? noteAlone(note, number, at);
}

export async function vectorsOf(
  embedder: Embedder | null,
  drafts: readonly DraftChunk[],
  signal?: AbortSignal,
): Promise<PassageVectors[]> {
  if (embedder === null || drafts.length === 0) return [];
  return embedChunks(
    embedder,
    drafts.map(({ terms }) => terms),
    signal,
  );
}

/** The stored turns from one on, in the groups they were cut into chunks with. */
function* groupsFrom(
  { memory }: Pick<SessionWork, "memory">,
  sessionId: number,
  first: number,
): Iterable<Turn[]> {
  let group: Turn[] = [];
  let start: number | null = null;
  for (const { record, ...turn } of storedTurns(memory, sessionId, { first })) {
    if (start !== record.groupStart && group.length > 0) {
      yield group;
      group = [];
    }
    start = record.groupStart;
    group.push(turn);
  }
  if (group.length > 0) yield group;
}
