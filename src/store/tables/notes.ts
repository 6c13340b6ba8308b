import { noteSources } from "../../protocol/origin.ts";
import { authorship } from "./sessions.ts";
import { count, flag, integer, nullable, numbers, oneOf, rowId, table, text, time } from "./table.ts";

/** The lines that a note is on, of one version together; a memory of an earlier schema has none. */
const place = { together: "place", shared: true, since: 18 } as const;

/**
 * What the user asked to remember. Kept when retention takes the session away. Outside of the code, in SQL, JSON and shared
 * records, a note is called an annotation.
 */
export const notes = table({
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
    /** The file that it is on, from the project's root, and its lines when it was written; null: it is on none. */
    path: nullable(text("file", place)),
    firstLine: nullable(count(place)),
    lastLine: nullable(count(place)),
    /** HEAD when it was written: lines that left the file are looked for in what changed since. */
    headCommit: nullable(text("commit", place)),
    /**
     * What finds its lines again (attribution/lines/anchor.ts): of each of them, and of some around, a key and a weight. No text: there
     * is nothing to scrub.
     */
    lineKeys: numbers({ ...place, default: "'[]'" }),
    /** The number that the first of these had. */
    keysFrom: count({ ...place, default: "0" }),
    /** Lines like them stood elsewhere in the file: they are found between those around them alone. */
    isRepeated: flag({ ...place, default: "0" }),
  },
  indexes: { annotations_by_time: "(at)", annotations_of_session: "(session_uid)" },
});
