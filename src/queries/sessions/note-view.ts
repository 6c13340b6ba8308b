import type { Annotation } from "../../protocol/operations/sessions.ts";
import type { AnnotationRecord } from "../../store/memory/memory-records.ts";

/** A note as the routes give it. */
export function annotationOf(note: AnnotationRecord): Annotation {
  return {
    id: note.uid,
    note: note.note,
    session_id: note.sessionUid,
    turn: note.turn,
    timestamp: new Date(note.at).toISOString(),
    branch: note.branch,
    source: note.source,
  };
}
