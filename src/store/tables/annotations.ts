import { noteSources } from "../../protocol/origin.ts";
import { authorship } from "./sessions.ts";
import { integer, nullable, oneOf, rowId, table, text, time } from "./table.ts";

/** What the user asked to remember. Kept when retention takes the session away. */
export const annotations = table({
  name: "annotations",
  columns: {
    id: rowId(),
    uid: text("uid", { isUnique: true, shared: true }),
    /** The session's own id, which may be unknown (yet), or null for a note from a shell. */
    sessionUid: nullable(text("session", { shared: "session" })),
    turn: nullable(integer({ merge: "least", shared: true })),
    /** The prompt's line; null until the transcript shows it. */
    lineUid: nullable(text("id", { shared: "line" })),
    at: time({ merge: "least", shared: true }),
    source: oneOf(noteSources, { shared: true }),
    branch: nullable(text("branch", { shared: true, isPrivate: true })),
    note: text("words", { merge: "redacted", shared: true, isPrivate: true }),
    ...authorship,
  },
  indexes: { annotations_by_time: "(at)", annotations_of_session: "(session_uid)" },
});
