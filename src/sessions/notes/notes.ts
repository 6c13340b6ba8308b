import { createHash } from "node:crypto";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";

/**
 * Whether two notes are equal. Placeholders of secrets are numbered per scrubbed text, and a hook scrubs a prompt
 * alone.
 */
export function isSameNote(one: string, other: string): boolean {
  return one === other || withoutNumbers(one) === withoutNumbers(other);
}

function withoutNumbers(note: string): string {
  return note.replace(/(\[REDACTED_[A-Z0-9_]*?)_\d+\]/g, "$1]");
}

/**
 * The same for the same note, whether it comes from a hook or from the transcript.
 * @param ordinal how many notes with the same words the session had before
 */
export function makeNoteUid(sessionUid: string, note: string, ordinal: number): string {
  return createHash("sha256")
    .update(JSON.stringify([sessionUid, withoutNumbers(note), ordinal]))
    .digest("hex")
    .slice(0, 32);
}

/**
 * A note that says that something was tried and rejected, by its words, as a note that replaces a decision
 * (decisions/stored.ts): `Rejected: it blocks the event loop` about its session, `Rejected “We poll”: ...` about a decision.
 */
const rejection = /^rejected\s*:\s*([\s\S]*\S)/i;

/** Why a note says that its session was rejected; null: it does not. */
export const parseRejection = (note: string): string | null => rejection.exec(note.trim())?.[1] ?? null;

/** The note's text. @param decision quoted; null: the session is rejected */
export const formatRejection = (reason: string, decision: string | null): string =>
  decision === null ? `Rejected: ${reason}` : `Rejected “${decision.replace(/[“”]/g, '"')}”: ${reason}`;

/** Why a session was rejected, by the latest note that says so; null: none does. A colleague rejects only their own. */
export function createRejectionLookup(memory: Memory): (sessionUid: string) => string | null {
  const reasons = memory.readOnce("rejected sessions", () => {
    const found = new Map<string, string>();
    for (const { note, sessionUid, author } of listStoredNotes(memory)) {
      const reason = parseRejection(note);
      if (reason === null || sessionUid === null || found.has(sessionUid)) continue;
      if (author == null || findSessionByUid(memory, sessionUid)?.author === author)
        found.set(sessionUid, reason);
    }
    return found;
  });
  return (uid) => reasons.get(uid) ?? null;
}
