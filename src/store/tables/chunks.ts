import { chunkKinds, chunkTypes } from "../../protocol/values.ts";
import {
  bytes,
  flag,
  integer,
  json,
  nullable,
  oneOf,
  reference,
  rowId,
  table,
  text,
  texts,
  time,
} from "./table.ts";

/** Searchable spans of sessions: cutting a session again makes all of it anew. */

const chunkEventTypes = ["user_prompt", "tool_use", "assistant", "mixed"] as const;

export const chunks = table({
  name: "chunks",
  columns: {
    id: rowId(),
    /** `<session>:<type>:<position>`: the same for the same span of the same session. */
    uid: text("reference", { isUnique: true }),
    sessionId: reference("sessions"),
    /** Order within the session among chunks of its type. */
    position: integer(),
    firstTurn: integer(),
    lastTurn: integer(),
    /** Lines that it covers, by their order in the session; null for one that covers none. */
    firstSeq: nullable(integer()),
    lastSeq: nullable(integer()),
    type: oneOf(chunkTypes),
    kind: oneOf(chunkKinds),
    eventType: oneOf(chunkEventTypes),
    abandoned: flag(),
    branch: nullable(text("branch")),
    startedAt: nullable(time()),
    endedAt: nullable(time()),
    /** The note of an annotated chunk. */
    annotationId: nullable(reference("annotations")),
    /** For people and agents to read: `[USER] ...`, `[ASSISTANT] ...`, `[TOOL_USE] ...`, `[TOOL_RESULT] ...`. */
    text: text("words"),
    /** As in turn_files. */
    files: texts("words"),
  },
  indexes: {
    chunks_of_session: "(session_id, type, position)",
    chunks_by_time: "(started_at)",
    chunks_of_annotation: "(annotation_id) WHERE annotation_id IS NOT NULL",
  },
  holds: "derived",
});

/** A row for each chunk and model: sessions grow at their end, so rows of many chunks would be written over and over. */
export const vectors = table({
  name: "vectors",
  columns: {
    id: rowId(),
    sessionId: integer(),
    model: text("words"),
    dimensions: integer(),
    chunkId: reference("chunks"),
    /** int8 components of all passages, side by side; empty where the model has none for the text. */
    data: bytes(),
  },
  unique: ["chunkId", "model"],
  indexes: { vectors_of_model: "(model, id, dimensions)" },
  holds: "derived",
});

/** What sessions were cut into chunks by; one without a row is to be cut. */
export const sessionCuts = table({
  name: "session_cuts",
  columns: {
    sessionId: reference("sessions", { isKey: true }),
    /** Version of the adapter that read its transcript. */
    reader: integer(),
    /** Version of the rules. */
    rules: integer(),
    /** A hash of the settings. */
    settings: text("words"),
  },
  holds: "derived",
});

/** A hash of the streams that a chunk's words and vectors were made of: the streams themselves are not stored. */
export const chunkSources = table({
  name: "chunk_sources",
  columns: { chunkId: reference("chunks", { isKey: true }), hash: bytes() },
  holds: "derived",
});

/** A chunk that has no row was not looked at yet. */
export const chunkDecisions = table({
  name: "chunk_decisions",
  columns: {
    chunkId: reference("chunks", { isKey: true }),
    /** ChunkDecision[] of memory-records.ts; mostly empty. */
    decisions: json<unknown[]>(),
  },
  holds: "derived",
});
