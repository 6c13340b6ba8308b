import { count, integer, json, nullable, reference, rowId, table, text, time } from "./table.ts";

/** A line that is not as its client writes them. */
interface DamagedPlace {
  /** Where it begins. Bytes. */
  at: number;
  /** Records that were read from it. */
  saved: number;
  /** Whether something of it was not. */
  isLost: boolean;
}

/** Every file that is, or was, read; a session may have several. */
export const transcripts = table({
  name: "transcripts",
  columns: {
    id: rowId({ isReused: true }),
    /** Absolute. */
    path: text("place", { isUnique: true }),
    agent: text("agent"),
    sessionId: nullable(reference("sessions")),
    /** Bytes read, whole lines. */
    offset: count(),
    /** Of the last line read: where the agent's adapter goes on. */
    lineHash: text("words"),
    /** Of the file when it was read. */
    size: count(),
    readAt: time(),
    /** Lines left out, by reason. */
    skipped: json<Record<string, number>>({ default: "'{}'" }),
    /** Lines that are no record, or several: the first of them. */
    damaged: json<DamagedPlace[]>({ default: "'[]'" }),
  },
  indexes: { transcripts_of_session: "(session_id)" },
});

/**
 * Lines of conversation that are stored, so that no copy of one is stored again. They lie in the order in which they come: their ids
 * are random, and in the order of these each line would be a page to write. A line is found by a small hash of its id.
 */
export const lines = table({
  name: "lines",
  columns: {
    id: rowId({ isReused: true }),
    uid: text("id"),
    uidHash: integer(),
    sessionId: reference("sessions"),
    /** Order within the session, from 0. */
    seq: integer(),
    /** Of a line whose turn was forgotten -1 - the turn's number: known, so that it is not stored again. */
    turn: integer(),
  },
  indexes: { lines_of_session: "(session_id, seq)", lines_by_uid: "(uid_hash)" },
});

/** Which of a session's secrets of a type is which, by a keyed fingerprint too short to give the secret away. */
export const secrets = table({
  name: "secrets",
  columns: {
    sessionId: reference("sessions"),
    type: text("words"),
    fingerprint: text("words"),
    /** From 1, within session and type. */
    number: integer(),
  },
  key: ["sessionId", "type", "fingerprint"],
});
