import { fileUses, turnStates } from "../../protocol/values.ts";
import {
  bytes,
  count,
  flag,
  integer,
  json,
  nullable,
  oneOf,
  reference,
  rowId,
  table,
  text,
  time,
} from "./table.ts";

export const turns = table({
  name: "turns",
  columns: {
    id: rowId(),
    sessionId: reference("sessions"),
    /** From 1; 0 holds what came before the first prompt. */
    number: count({ merge: "least", shared: true }),
    startedAt: nullable(time()),
    endedAt: nullable(time()),
    branch: nullable(text("branch", { together: "latest", shared: true, isPrivate: true })),
    /** The user went back to before it and took another way. */
    abandoned: flag({ default: "0", merge: "any", shared: true }),
    /** Number of the turn with which the group begins that it is cut into chunks with. */
    groupStart: integer(),
    /** The beginning of what was asked, for lists. */
    prompt: text("words"),
    /** Calls by the tool's name. */
    tools: json<Record<string, number>>({ default: "'{}'" }),
    /** Which words the content may have (word-filter.ts); before it, so that it is read alone. */
    words: bytes(),
    /** Everything, scrubbed: StoredLine[] of turn-content.ts, JSON, deflated. */
    content: bytes(),
  },
  unique: ["sessionId", "number"],
});

/** Files that a turn touched. */
export const turnFiles = table({
  name: "turn_files",
  columns: {
    turnId: reference("turns"),
    /** Relative to the project's root with slashes; absolute outside of it. */
    path: text("place"),
    /** The strongest of them. */
    how: oneOf(fileUses),
  },
  key: ["turnId", "path"],
  indexes: { turn_files_by_path: "(path)" },
});

/** What messages cost, once for each: a message spans several lines. */
export const usage = table({
  name: "usage",
  columns: {
    sessionId: reference("sessions"),
    messageUid: text("id", { shared: "message" }),
    turn: integer(),
    model: text("model", { shared: true }),
    input: count({ shared: true }),
    output: count({ shared: true }),
    cacheRead: count({ shared: true }),
    cacheWrite: count({ shared: true }),
    /** Of cacheWrite, what is kept for an hour and not for minutes: it costs more. */
    cacheWriteHour: count({ shared: true }),
  },
  key: ["sessionId", "messageUid"],
  indexes: { usage_by_message: "(message_uid)" },
});

/** How a turn ended; none where its agent's reader cannot tell. No column of turns, as of actions. */
export const turnEndings = table({
  name: "turn_states",
  columns: { turnId: reference("turns", { isKey: true }), state: oneOf(turnStates) },
});

/**
 * What a turn's tool calls did, beside their names. No column of turns: it would lie behind the content, and take reading that
 * to get at.
 */
export const turnActions = table({
  name: "turn_actions",
  columns: {
    turnId: reference("turns"),
    /** ToolAction of agents/agent.ts. */
    action: text("words"),
    /** How many did, failed ones included. */
    calls: integer(),
  },
  key: ["turnId", "action"],
});
