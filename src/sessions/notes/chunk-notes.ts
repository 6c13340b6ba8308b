import { replaceNoteChunk } from "../../store/memory/chunks/chunks.ts";
import { listNotesWithoutChunk } from "../../store/memory/chunks/notes.ts";
import { findSessionByUid, saveSession } from "../../store/memory/sessions/sessions.ts";
import { chunkToStore } from "../chunks/chunk-to-store.ts";
import { buildOptionsForSession, embedDrafts, noteDraft } from "../chunks/rechunk.ts";
import type { SessionWork } from "../work.ts";
import { notesSession } from "./notes-session.ts";

/** Makes the chunks of notes that have none, so that they are found: of notes that came back without them. */
export async function chunkNotes(work: SessionWork): Promise<void> {
  const { memory, embedder, root } = work;
  for (const note of listNotesWithoutChunk(memory)) {
    const session =
      note.sessionUid === null
        ? saveSession(memory, { ...notesSession, cwd: root })
        : findSessionByUid(memory, note.sessionUid);
    if (session === null) continue;
    const draft = noteDraft(work, session, note, buildOptionsForSession(work, session));
    const [vectors] = await embedDrafts(embedder, [draft]);
    const place = { position: note.id, annotationId: note.id };
    const chunk = chunkToStore(session, draft, place, embedder, vectors);
    replaceNoteChunk(memory, session.id, { ...chunk, annotationId: note.id });
  }
}
