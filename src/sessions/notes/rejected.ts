import { listAnnotations } from "../../store/memory/chunks/annotations.ts";
import type { Memory } from "../../store/memory/memory.ts";

/**
 * A note that says that something was tried and rejected, by its words, as a note that replaces a decision
 * (decisions/replaced.ts): `Rejected: it blocks the event loop` about its session, `Rejected “We poll”: ...` about a decision.
 */
const rejection = /^rejected\s*:\s*([\s\S]*\S)/i;

/** Why a note says that its session was rejected; null: it does not. */
export const rejectionIn = (note: string): string | null => rejection.exec(note.trim())?.[1] ?? null;

/** The note's text. @param decision quoted; null: the session is rejected */
export const rejectionText = (reason: string, decision: string | null): string =>
  decision === null ? `Rejected: ${reason}` : `Rejected “${decision.replace(/[“”]/g, '"')}”: ${reason}`;

/** Why a session was rejected, by the latest note that says so; null: none does. */
export function rejectedSessions(memory: Memory): (sessionUid: string) => string | null {
  const reasons = memory.once("rejected sessions", () => {
    const found = new Map<string, string>();
    for (const { note, sessionUid } of listAnnotations(memory)) {
      const reason = rejectionIn(note);
      if (reason !== null && sessionUid !== null && !found.has(sessionUid)) found.set(sessionUid, reason);
    }
    return found;
  });
  return (uid) => reasons.get(uid) ?? null;
}
