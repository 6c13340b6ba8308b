import type { AnnotationRecord } from "../store/memory-records.ts";
import type { ScrubbingWork } from "./work.ts";

export interface NoteToAdd {
  note: string;
  /** The agent's own id of the session it is about; it need not be stored yet. */
  sessionUid?: string | null;
  branch?: string | null;
  /** Milliseconds since the epoch; now if left out. */
  at?: number;
}

/**
 * Remembers a note from a shell, scrubbed, with the conversation up to now as its chunk. Without a session it belongs to
 * one of Pommel's own, which has no turns.
 */
export async function addNote(_options: ScrubbingWork, _note: NoteToAdd): Promise<AnnotationRecord> {
  throw new Error("not written yet");
}
