import type { Embedder } from "../../models/embed/embedder.ts";
import {
  keepNewestChunks,
  replaceChunks,
  replaceNoteChunk,
  selectChunkOfNote,
  selectChunksFrom,
} from "../../store/memory/chunks/chunks.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import { type ChunkCondition, checkForVectors } from "../../store/memory/chunks/put-chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type {
  ChunkToStore,
  NoteRecord,
  PassageVectors,
  SessionRecord,
  TurnRecord,
} from "../../store/memory/memory-records.ts";
import { computeTurnsStamp, findPositionAfterTurn } from "../../store/memory/privacy/rewrite.ts";
import { findTurnBefore, saveGroups } from "../../store/memory/sessions/turns.ts";
import { streamTurnGroups } from "../ingest/turns.ts";
import { createRelativizer } from "../relative-paths.ts";
import { readStoredTurns, type Turn } from "../turn-content.ts";
import type { SessionWork } from "../work.ts";
import { buildNoteChunk, noteAlone, turnsBefore } from "./annotate.ts";
import { chunkToStore } from "./chunk-to-store.ts";
import { type ChunkOptions, chunkGroup, type DraftChunk } from "./chunker.ts";
import { embedChunks } from "./embed.ts";

/** A session that grows meanwhile is cut again, so often at most. */
const maxTries = 5;
/** Chunks that get their vectors in one step. */
const chunksAtOnce = 32;

export interface RechunkOptions {
  signal?: AbortSignal | undefined;
  /** Everything is cut, and in groups as turns are grouped now: its rules or settings have changed. */
  regroup?: boolean;
  /** The words of chunks that are cut as before are written again as well. */
  reindex?: boolean;
  /** Called between steps of some milliseconds. */
  pause?: () => Promise<void>;
}

/**
 * Cuts a session into chunks again from a turn on, as its turns have changed: the groups stay, and with them the chunks
 * before. Chunks of notes that may take from those turns are made again as well. Chunks that come out as they were keep
 * their rows and vectors.
 * @returns how many chunks there are from there on
 */
export async function rechunkSession(
  work: SessionWork,
  session: SessionRecord,
  from: number,
  { signal, regroup = false, reindex = false, pause = async () => {} }: RechunkOptions = {},
): Promise<number> {
  const { memory, maxChunks } = work;
  const options = buildOptionsForSession(work, session);
  // A chunk of its group may have held the turn, even if it is gone now.
  const first = regroup ? 0 : (findTurnBefore(memory, session.id, from)?.groupStart ?? 0);
  for (let tries = 1; ; tries++) {
    const stamp = computeTurnsStamp(memory, session.id, first);
    const cut: DraftChunk[] = [];
    const moved = new Map<number, number>();
    const turns = readStoredTurns(memory, session.id, { first });
    for (const group of regroup ? streamTurnGroups(turns, work.chunks) : groupTurnsAsCut(turns)) {
      const start = group[0]!.number;
      for (const { number, record } of group) if (record.groupStart !== start) moved.set(number, start);
      cut.push(...chunkGroup(group, options));
      await pause();
      signal?.throwIfAborted();
    }
    const position = findPositionAfterTurn(memory, session.id, first);
    const left = maxChunks > 0 ? Math.max(cut.length - maxChunks, 0) : 0;
    const drafts = cut.slice(left);
    const place = selectChunksFrom(session.id, "raw", position);
    const notes = cut.length === 0 ? [] : listNotesFrom(memory, session, from);
    const noteDrafts = notes.map((note) => noteDraft(work, session, note, options));
    const placed = (draft: DraftChunk, i: number, vectors?: PassageVectors) =>
      chunkToStore(session, draft, { position: position + left + i }, work.embedder, vectors);
    const known = () => [
      ...checkKnownVectors(
        work,
        place,
        drafts.map((draft, i) => placed(draft, i)),
      ),
      ...notes.flatMap(({ id }, i) =>
        checkKnownVectors(work, selectChunkOfNote(id), [noteToStore(noteDrafts[i]!, id)]),
      ),
    ];
    const noteToStore = (draft: DraftChunk, id: number, vectors?: PassageVectors) => ({
      ...chunkToStore(session, draft, { position: id, annotationId: id }, work.embedder, vectors),
      annotationId: id,
    });
    const all = [...drafts, ...noteDrafts];
    const vectors = await embedMissingVectors(work, all, known(), { signal, pause });
    const isWritten = memory.runInTransaction(() => {
      if (tries < maxTries && computeTurnsStamp(memory, session.id, first) !== stamp) return false;
      // What was to stay may have gone.
      if (tries < maxTries && known().some((isKnown, i) => !isKnown && vectors[i] === undefined))
        return false;
      saveGroups(memory, session.id, moved);
      const chunks = drafts.map((draft, i) => placed(draft, i, vectors[i]));
      replaceChunks(memory, session.id, { type: "raw", from: position, reindex }, chunks);
      notes.forEach(({ id }, i) => {
        const chunk = noteToStore(noteDrafts[i]!, id, vectors[drafts.length + i]);
        replaceNoteChunk(memory, session.id, chunk, { reindex });
      });
      if (maxChunks > 0) keepNewestChunks(memory, session.id, maxChunks);
      return true;
    });
    if (isWritten) return all.length;
  }
}

const listNotesFrom = (memory: Memory, { uid }: SessionRecord, from: number) =>
  listStoredNotes(memory, { sessionUid: uid }).filter(({ turn }) => (turn ?? 0) >= from);

function checkKnownVectors(
  { memory, embedder }: SessionWork,
  place: ChunkCondition,
  chunks: readonly ChunkToStore[],
): boolean[] {
  return embedder === null ? chunks.map(() => true) : checkForVectors(memory, place, chunks, embedder.id);
}

/** The vectors of the chunks that lack them; undefined for the others. */
async function embedMissingVectors(
  { embedder }: SessionWork,
  drafts: readonly DraftChunk[],
  known: readonly boolean[],
  { signal, pause }: { signal: AbortSignal | undefined; pause: () => Promise<void> },
): Promise<(PassageVectors | undefined)[]> {
  const vectors: (PassageVectors | undefined)[] = drafts.map(() => undefined);
  const missing = drafts.flatMap((draft, i) => (known[i] ? [] : [{ draft, i }]));
  for (let at = 0; at < missing.length; at += chunksAtOnce) {
    const some = missing.slice(at, at + chunksAtOnce);
    const made = await embedDrafts(
      embedder,
      some.map(({ draft }) => draft),
      signal,
    );
    some.forEach(({ i }, n) => {
      vectors[i] = made[n];
    });
    await pause();
  }
  return vectors;
}

/** The options for chunking a session. */
export function buildOptionsForSession(
  { chunks, root, worktrees }: Pick<SessionWork, "chunks" | "root" | "worktrees">,
  { cwd }: Pick<SessionRecord, "cwd">,
): ChunkOptions {
  return { ...chunks, relativize: createRelativizer({ root, worktrees, cwd }) };
}

/** The chunk of a stored note, made from the session before it. */
export function noteDraft(
  { memory }: Pick<SessionWork, "memory">,
  session: Pick<SessionRecord, "id">,
  annotation: Pick<NoteRecord, "note" | "turn" | "lineUid" | "at" | "source" | "branch">,
  options: ChunkOptions,
): DraftChunk {
  const { note, turn, lineUid, at, source, branch } = annotation;
  const number = turn ?? 0;
  const range = { first: Math.max(number - turnsBefore, 0), last: number };
  const around = [...readStoredTurns(memory, session.id, range)];
  if (source === "prompt")
    return buildNoteChunk(note, lineUid, around, options) ?? noteAlone(note, number, at);
  // Its turn may have gone on since.
  const until = around.map((each) => ({ ...each, lines: each.lines.filter((line) => (line.at ?? 0) <= at) }));
  const made = buildNoteChunk(note, null, until, options) ?? noteAlone(note, number, at);
  return { ...made, chunk: { ...made.chunk, branch, endedAt: at } };
}

export async function embedDrafts(
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

/** Stored turns in the groups they were cut into chunks with. */
function* groupTurnsAsCut<T extends Turn & { record: TurnRecord }>(turns: Iterable<T>): Generator<T[], void> {
  let group: T[] = [];
  for (const turn of turns) {
    if (group.length > 0 && group[0]!.record.groupStart !== turn.record.groupStart) {
      yield group;
      group = [];
    }
    group.push(turn);
  }
  if (group.length > 0) yield group;
}
