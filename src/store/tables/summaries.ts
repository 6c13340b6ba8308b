import { summarySources } from "../../protocol/values.ts";
import { integer, nullable, oneOf, reference, rowId, table, text, time } from "./table.ts";

/** What whole sessions are about. */

export const summaries = table({
  name: "summaries",
  columns: {
    id: rowId(),
    sessionId: reference("sessions"),
    source: oneOf(summarySources, { shared: true }),
    /** Turns that it speaks of, from the first up to this one. */
    upToTurn: integer({ shared: true }),
    at: time({ shared: true }),
    /** The model that wrote it; null for the extractive one. */
    model: nullable(text("model", { shared: true })),
    text: text("words", { shared: true, isPrivate: true }),
  },
  unique: ["sessionId", "source", "upToTurn"],
});

export const chunkSummaries = table({
  name: "chunk_summaries",
  columns: {
    chunkId: reference("chunks", { isKey: true }),
    model: text("model"),
    /** Empty: the model gave none that can be used, and is not asked again. */
    text: text("words"),
  },
  holds: "derived",
});

/** Sessions whose answer could not be used: the model is not asked for the same turns again soon. */
export const unusableSummaries = table({
  name: "unusable_summaries",
  columns: {
    sessionId: reference("sessions", { isKey: true }),
    model: text("model"),
    upToTurn: integer(),
    at: time(),
  },
});

/** Key phrases of a session (sessions/topics/), the most telling first, from 0. */
export const sessionTopics = table({
  name: "session_topics",
  columns: {
    sessionId: reference("sessions"),
    position: integer(),
    topic: text("words"),
    /** The model that named it; null: found by the rules of sessions/topics/. */
    model: nullable(text("model")),
  },
  key: ["sessionId", "position"],
  holds: "derived",
});
