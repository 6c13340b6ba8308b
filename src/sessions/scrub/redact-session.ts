import {
  listChunksOfSession,
  replaceChunks,
  replaceNoteChunk,
  type StoredSessionChunk,
} from "../../store/memory/chunks/chunks.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { NoteRecord, SessionRecord } from "../../store/memory/memory-records.ts";
import { redactSession, redactSummary, saveRedactedNote } from "../../store/memory/privacy/rewrite.ts";
import { findSessionById, findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { dropChunkSummaries, listSummaries, saveTopics } from "../../store/memory/sessions/summaries.ts";
import { listTurns, saveTurn } from "../../store/memory/sessions/turns.ts";
import { chunkToStore } from "../chunks/chunk-to-store.ts";
import type { DraftChunk } from "../chunks/chunker.ts";
import { unitJoint } from "../chunks/pack.ts";
import { buildOptionsForSession, embedDrafts, noteDraft, rechunkSession } from "../chunks/rechunk.ts";
import { noTerms } from "../chunks/units/units.ts";
import { turnToStore } from "../ingest/turns.ts";
import { makeNoteUid } from "../notes/notes.ts";
import { storeSummaryChunks } from "../summaries/sum-up.ts";
import { storeTopics } from "../topics/topics.ts";
import { readStoredTurns } from "../turn-content.ts";
import type { SessionWork } from "../work.ts";
import { cleanLines, type RedactText, watchChanges } from "./redact-stored.ts";

/** Turns that are put in other words in one transaction. */
const batchSize = 8;

export interface RedactOptions {
  clean: RedactText;
  /** As in `cleanLines`. */
  namesToo?: boolean;
  /** A turn, when it and those behind it were changed before, by a run that was stopped. */
  changedBefore?: number | null;
  /** Part of every transaction: the first turn whose chunks are still the old ones; null as long as there is none. */
  also?: (firstChanged: number | null) => void;
  signal?: AbortSignal | undefined;
}

export interface RedactResult {
  turns: number;
  /** Something of the session was changed: a turn, a note, a summary, its title. */
  changed: boolean;
}

/**
 * Puts all that is stored of a session in other words: turns, notes, summaries, its title, where it ran, and the chunks
 * of all of them.
 */
export async function redactWholeSession(
  work: SessionWork,
  sessionId: number,
  { clean, namesToo = false, changedBefore = null, also, signal }: RedactOptions,
): Promise<RedactResult> {
  const { memory } = work;
  const session = findSessionById(memory, sessionId);
  if (session === null) return { turns: 0, changed: false };
  let firstChanged = changedBefore;
  let turns = 0;
  const numbers = listTurns(memory, sessionId).map(({ number }) => number);
  for (let i = 0; i < numbers.length; i += batchSize) {
    signal?.throwIfAborted();
    const batch = { first: numbers[i]!, last: numbers[Math.min(i + batchSize, numbers.length) - 1]! };
    memory.runInTransaction(() => {
      for (const number of redactTurns(work, session, batch, { clean, namesToo })) {
        firstChanged = Math.min(firstChanged ?? number, number);
        turns++;
      }
      also?.(firstChanged);
    });
    // Others wait for the process, and for the database, as well.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const rest = memory.runInTransaction(() => {
    const named = redactNames(memory, session, clean);
    const notes = redactNotes(memory, session.uid, clean);
    const summaries = redactSummaries(memory, session.id, clean);
    // If stopped after this, all chunks are made again, as there is no record of which are done.
    also?.(notes.length > 0 || summaries ? 0 : firstChanged);
    return { named, notes, summaries };
  });
  const now = findSessionById(memory, sessionId);
  if (now === null) return { turns, changed: turns > 0 };
  if (firstChanged !== null) await rechunkSession(work, now, firstChanged, { signal });
  if (numbers.length > 0) await remakeNoteChunks(work, now, rest.notes, signal);
  const inPlace = await cleanChunksInPlace(work, now, clean, signal);
  if (numbers.length > 0 && (firstChanged !== null || rest.summaries)) {
    await storeSummaryChunks(work, now, signal);
  }
  if (turns > 0 || rest.named) {
    // A model may have named what is gone now.
    saveTopics(memory, now.id, []);
    storeTopics(memory, now);
  }
  const changed = turns > 0 || rest.named || rest.summaries || rest.notes.length > 0 || inPlace;
  return { turns, changed };
}

/** Notes of sessions that are not stored. @returns whether any was changed */
export function redactLooseNotes(memory: Memory, clean: RedactText): boolean {
  return memory.runInTransaction(() =>
    listStoredNotes(memory)
      .filter(({ sessionUid }) => sessionUid === null || findSessionByUid(memory, sessionUid) === null)
      .map((note) => redactNote(memory, note, clean, 0))
      .some((isChanged) => isChanged),
  );
}

/** @returns the numbers of turns that were changed */
function redactTurns(
  work: SessionWork,
  session: SessionRecord,
  batch: { first: number; last: number },
  { clean, namesToo }: { clean: RedactText; namesToo: boolean },
): number[] {
  const { memory } = work;
  const { relativize } = buildOptionsForSession(work, session);
  const watch = watchChanges(clean);
  const changed: number[] = [];
  for (const { record, ...turn } of readStoredTurns(memory, session.id, batch)) {
    const lines = cleanLines(turn.lines, watch.clean, { namesToo });
    const branch = record.branch === null ? null : watch.clean(record.branch);
    if (!watch.hasChanged()) continue;
    const cleaned = { ...turn, lines };
    saveTurn(memory, session.id, {
      ...record,
      branch,
      ...turnToStore(cleaned, relativize),
    });
    changed.push(turn.number);
  }
  return changed;
}

function redactNames(memory: Memory, session: SessionRecord, clean: RedactText): boolean {
  const watch = watchChanges(clean);
  const orNull = (text: string | null) => (text === null ? null : watch.clean(text));
  const names = {
    title: orNull(session.title),
    cwd: watch.clean(session.cwd),
    branch: orNull(session.branch),
  };
  const changed = watch.hasChanged();
  if (changed) redactSession(memory, session.id, names);
  return changed;
}

/** @returns rows of the notes that were changed */
function redactNotes(memory: Memory, sessionUid: string, clean: RedactText): number[] {
  const changed: number[] = [];
  const before = new Map<string, number>();
  for (const note of listStoredNotes(memory, { sessionUid }).sort((a, b) => a.id - b.id)) {
    const text = clean(note.note);
    const ordinal = before.get(text) ?? 0;
    if (isFromPrompt(note)) before.set(text, ordinal + 1);
    if (redactNote(memory, note, clean, ordinal)) changed.push(note.id);
  }
  return changed;
}

const isFromPrompt = ({ source, lineUid }: NoteRecord) => source === "prompt" || lineUid !== null;

/** A prompt's note is identified by its words, and found again by its new ones. */
function redactNote(memory: Memory, known: NoteRecord, clean: RedactText, ordinal: number): boolean {
  const note = clean(known.note);
  const branch = known.branch === null ? null : clean(known.branch);
  if (note === known.note && branch === known.branch) return false;
  const isTold = isFromPrompt(known) && known.sessionUid !== null;
  const uid = isTold && note !== known.note ? makeNoteUid(known.sessionUid!, note, ordinal) : known.uid;
  saveRedactedNote(memory, known.id, { uid, note, branch });
  return true;
}

function redactSummaries(memory: Memory, sessionId: number, clean: RedactText): boolean {
  const changed = listSummaries(memory, sessionId)
    .map(({ id, text }) => ({ id, text, cleaned: clean(text) }))
    .filter(({ text, cleaned }) => text !== cleaned);
  for (const { id, cleaned } of changed) redactSummary(memory, id, cleaned);
  dropChunkSummaries(memory, sessionId, (text) => clean(text) === text);
  return changed.length > 0;
}

async function remakeNoteChunks(
  work: SessionWork,
  session: SessionRecord,
  ids: readonly number[],
  signal?: AbortSignal,
): Promise<void> {
  const { memory, embedder } = work;
  const options = buildOptionsForSession(work, session);
  const notes = listStoredNotes(memory, { sessionUid: session.uid }).filter(({ id }) => ids.includes(id));
  const drafts = notes.map((note) => noteDraft(work, session, note, options));
  const vectors = await embedDrafts(embedder, drafts, signal);
  memory.runInTransaction(() => {
    notes.forEach(({ id }, i) => {
      const place = { position: id, annotationId: id };
      const chunk = chunkToStore(session, drafts[i]!, place, embedder, vectors[i]);
      replaceNoteChunk(memory, session.id, { ...chunk, annotationId: id });
    });
  });
}

/** Chunks whose turns are no longer stored cannot be made again: their own words are cleaned. */
async function cleanChunksInPlace(
  work: SessionWork,
  session: SessionRecord,
  clean: RedactText,
  signal?: AbortSignal,
): Promise<boolean> {
  const { memory, embedder } = work;
  const watch = watchChanges(clean);
  const cleanChunk = (chunk: StoredSessionChunk) => ({
    ...chunk,
    text: watch.clean(chunk.text),
    files: chunk.files.map((path) => watch.clean(path)),
    branch: chunk.branch === null ? null : watch.clean(chunk.branch),
  });
  const isGone = ({ firstTurn, lastTurn }: StoredSessionChunk) =>
    listTurns(memory, session.id, { first: firstTurn, last: lastTurn }).length === 0;
  const cleaned = listChunksOfSession(memory, session.id)
    .filter((chunk) => isGone(chunk))
    .map((chunk) => ({ chunk: cleanChunk(chunk), changed: watch.hasChanged() }));
  if (!cleaned.some(({ changed }) => changed)) return false;
  const drafts = cleaned.map(({ chunk }): DraftChunk => {
    const { id: _id, sessionId: _session, uid: _uid, position: _at, annotationId: _note, ...rest } = chunk;
    const [head = "", ...context] = chunk.text.split(unitJoint);
    const terms =
      chunk.type === "annotated"
        ? { ...noTerms, prompt: head, answer: context.join(unitJoint) }
        : { ...noTerms, answer: chunk.text };
    return { chunk: rest, terms };
  });
  const vectors = await embedDrafts(embedder, drafts, signal);
  memory.runInTransaction(() => {
    const summaries = cleaned.flatMap(({ chunk }, i) => {
      const made = chunkToStore(session, drafts[i]!, chunk, embedder, vectors[i]);
      if (chunk.annotationId === null) return [made];
      replaceNoteChunk(memory, session.id, { ...made, annotationId: chunk.annotationId });
      return [];
    });
    const type = "summary" as const;
    const own = summaries.filter((chunk) => chunk.type === type);
    if (own.length > 0) replaceChunks(memory, session.id, { type, from: own[0]!.position }, own);
  });
  return true;
}
