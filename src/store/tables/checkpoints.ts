import { bindingHows } from "../../protocol/values.ts";
import { count, fraction, json, nullable, numbers, oneOf, reference, table, text, time } from "./table.ts";

/** A commit that sessions led to. */
export const checkpoints = table({
  name: "checkpoints",
  columns: {
    /** The first twelve digits of a hash of the commit's: the same on every machine. */
    uid: text("uid", { isKey: true, shared: true }),
    commitId: reference("commits", { isUnique: true }),
    /** The nearest one before it in history; null for the first. */
    parentUid: nullable(text("uid", { shared: "parent" })),
    /** What the agents were at (checkpoints/agent-state.ts), scrubbed. */
    agentState: json<Record<string, unknown>>({ default: "'{}'" }),
    createdAt: time({ merge: "least", shared: true }),
  },
});

/** A session's part in a commit. */
export const checkpointSessions = table({
  name: "checkpoint_sessions",
  columns: {
    checkpointUid: text("uid", { references: { table: "checkpoints", key: "uid", gone: "CASCADE" } }),
    /** The session's own id: it may be another machine's, or have been forgotten by age. */
    sessionUid: text("session", { shared: "session" }),
    /** Ascending. */
    turns: numbers({ merge: "union", shared: true }),
    /** Lines of the commit that it wrote. */
    lines: count({ merge: "greatest", shared: true }),
    /** The strongest. */
    how: oneOf(bindingHows, { merge: "least", shared: true }),
    confidence: fraction({ merge: "greatest", shared: true }),
  },
  key: ["checkpointUid", "sessionUid"],
  indexes: { checkpoint_sessions_by_session: "(session_uid)" },
});
