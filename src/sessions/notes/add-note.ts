import { randomBytes } from "node:crypto";
import { defaultAgentName } from "../../agents/profiles.ts";
import { PommelError } from "../../base/errors.ts";
import type { Speaker } from "../../protocol/origin.ts";
import { createLedger } from "../../redact/scrubber.ts";
import { replaceNoteChunk } from "../../store/memory/chunks/chunks.ts";
import { findNoteById, type NotePlace, noPlace, saveNote } from "../../store/memory/chunks/notes.ts";
import type { NoteRecord, SessionRecord } from "../../store/memory/memory-records.ts";
import { listSecrets, saveSecrets } from "../../store/memory/privacy/secrets.ts";
import { findSessionByUid, saveSession } from "../../store/memory/sessions/sessions.ts";
import { findLastTurnNumber } from "../../store/memory/sessions/transcripts.ts";
import { chunkToStore } from "../chunks/chunk-to-store.ts";
import { buildOptionsForSession, embedDrafts, noteDraft } from "../chunks/rechunk.ts";
import { forgetNow } from "../forget/forget.ts";
import { createIdScrubber } from "../scrub/scrub-lines.ts";
import type { ScrubbingWork } from "../work.ts";
import { notesSession } from "./notes-session.ts";

export interface NoteToAdd {
  note: string;
  /** The agent's own id of the session it is about; it need not be stored yet. */
  sessionUid?: string | null;
  /** The session's agent, if the session is not stored yet. */
  agent?: string;
  branch?: string | null;
  by: Speaker;
  /** Where in its session; left out: at its end. */
  turn?: number | null;
  /** Milliseconds since the epoch; now if left out. */
  at?: number;
  /** The lines that it is on. */
  place?: NotePlace;
}

/**
 * Replaces a note by another text: the old one is forgotten without a trace. One from a prompt becomes a note of its own, at
 * the same place; the prompt keeps its words.
 * @throws PommelError `usage` for a note of nothing
 */
export async function editNote(work: ScrubbingWork, old: NoteRecord, note: string): Promise<NoteRecord> {
  const { sessionUid, turn, branch, at } = old;
  const added = await addNote(work, { note, by: "person", sessionUid, turn, branch, at, place: old });
  await forgetNow(work, { annotation: old.uid });
  return added;
}

/**
 * Remembers a note from a shell, scrubbed, with the session up to now as its chunk. Without a session it belongs to
 * one of Pommel's own, which has no turns.
 * @throws PommelError `usage` for a note of nothing
 */
export async function addNote(work: ScrubbingWork, asked: NoteToAdd): Promise<NoteRecord> {
  const { memory, scrubber, ledgerKey, embedder, root } = work;
  const { agent = defaultAgentName, branch = null, at = Date.now(), place = noPlace } = asked;
  const sessionUid =
    asked.sessionUid == null ? null : createIdScrubber(scrubber, ledgerKey)(asked.sessionUid);
  if (asked.note.trim() === "") {
    throw new PommelError("usage", "The note is empty.", 'Write `pm note "what to remember"`.');
  }
  const session = findOrSaveNoteSession(work, sessionUid, agent, root);
  const ledger = createLedger(ledgerKey, listSecrets(memory, session.id));
  const note = scrubber.scrub(asked.note.trim(), ledger);
  const { path, firstLine, lastLine, headCommit, lineKeys, keysFrom, isRepeated } = place;
  const added = {
    uid: randomBytes(16).toString("hex"),
    sessionUid,
    turn: sessionUid === null ? null : (asked.turn ?? findLastTurnNumber(memory, session.id)),
    lineUid: null,
    at,
    source: asked.by === "person" ? ("shell" as const) : asked.by,
    branch: branch === null ? (sessionUid === null ? null : session.branch) : scrubber.scrub(branch, ledger),
    note,
    path,
    firstLine,
    lastLine,
    headCommit,
    lineKeys,
    keysFrom,
    isRepeated,
  };
  const options = buildOptionsForSession(work, session);
  const draft = noteDraft(work, session, added, options);
  const [vectors] = await embedDrafts(embedder, [draft]);
  return memory.runInTransaction(() => {
    saveSecrets(memory, session.id, ledger.takeNew());
    const id = saveNote(memory, added)!;
    const chunk = chunkToStore(session, draft, { position: id, annotationId: id }, embedder, vectors);
    replaceNoteChunk(memory, session.id, { ...chunk, annotationId: id });
    return findNoteById(memory, id)!;
  });
}

function findOrSaveNoteSession(
  { memory }: ScrubbingWork,
  uid: string | null,
  agent: string,
  root: string,
): SessionRecord {
  if (uid === null) return saveSession(memory, { ...notesSession, cwd: root });
  return findSessionByUid(memory, uid) ?? saveSession(memory, { uid, agent, cwd: root });
}
