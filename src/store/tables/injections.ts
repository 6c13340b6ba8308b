import { callDecisions, contextEvents } from "../../protocol/values.ts";
import { fraction, integer, nullable, oneOf, reference, rowId, table, text, time } from "./table.ts";

/** What was put into an agent's context. The text itself is not kept: it is made of what the ids name. */
export const injections = table({
  name: "injections",
  columns: {
    id: rowId(),
    /** The session's own id: it may not be known yet. */
    sessionUid: text("session"),
    event: oneOf(contextEvents),
    at: time(),
    /** Why there was something to say. */
    reason: text("words"),
    tokens: integer(),
    tookMs: integer(),
    textHash: text("words"),
    /** The agent's call that it was said about; null: about none. */
    callId: nullable(text("id")),
    /** What became of the call with it; null: it was only said. */
    decision: nullable(oneOf(callDecisions)),
  },
  indexes: { injections_of_session: "(session_uid)", injections_by_time: "(at)" },
});

export const injected = table({
  name: "injected",
  columns: {
    injectionId: reference("injections"),
    position: integer(),
    /** What was quoted: chunk:<uid>, note:<uid>, session:<uid>, event:<uid>, file:<path>, code:<path>#<name>. */
    ref: text("words"),
    /** Why this one. */
    why: text("words"),
    /** Null where nothing was asked. */
    score: nullable(fraction()),
  },
  key: ["injectionId", "position"],
});
