import { formatIsoTime } from "../../base/text/iso-time.ts";
import type { Decision } from "../../protocol/decision.ts";
import { toOrigin, toSpeaker } from "../../protocol/origin.ts";
import type { NoteRecord, SessionRecord } from "../../store/memory/memory-records.ts";
import { notesSession } from "../notes/notes-session.ts";
import type { SessionDecision } from "./stored.ts";

/** A decision of which only this much is known; by whom, null where the repository says it. */
export const makeDecision = (
  known: Pick<Decision, "source" | "text" | "by"> & Partial<Omit<Decision, "origin">>,
): Decision => ({
  origin: known.by === null ? null : toOrigin({ by: known.by, author: known.author }),
  place: null,
  session_id: null,
  session_title: null,
  turn: null,
  timestamp: null,
  branch: null,
  files: [],
  score: null,
  in_code: null,
  superseded_by: null,
  superseded: null,
  supersedes: [],
  ...known,
});

/** Whose it is, where a colleague shared it. */
export const pickAuthor = ({ author }: { author?: string | null | undefined }): Pick<Decision, "author"> =>
  author == null ? {} : { author };

/** A note as a decision. @param session the session that it stands in, where that is stored */
export const convertNoteToDecision = (
  note: NoteRecord,
  session: Pick<SessionRecord, "title"> | null,
  { files, score }: Pick<Decision, "files" | "score">,
): Decision =>
  makeDecision({
    source: "annotation",
    by: toSpeaker(note.source),
    text: note.note,
    ...(note.sessionUid === notesSession.uid
      ? { session_id: null, turn: null }
      : { session_id: note.sessionUid, turn: note.turn }),
    session_title: session?.title ?? null,
    ...pickAuthor(note),
    timestamp: new Date(note.at).toISOString(),
    branch: note.branch,
    files,
    score,
  });

/** A session's decision in the shape of the answer. */
export function toDecision(decision: SessionDecision): Decision {
  const { text, turn, sessionUid, sessionTitle, at, branch, files, supersededBy, supersedes } = decision;
  return makeDecision({
    source: "conversation",
    by: decision.by,
    text,
    session_id: sessionUid,
    session_title: sessionTitle,
    ...pickAuthor(decision),
    turn,
    timestamp: formatIsoTime(at),
    branch,
    files: [...files],
    superseded_by: supersededBy?.text ?? null,
    superseded: supersededBy === null ? null : supersededBy.isStated ? "known" : "likely",
    supersedes: [...supersedes],
  });
}
