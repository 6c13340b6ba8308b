import { nullable, oneOf, reference, rowId, table, text, time } from "./table.ts";

/** Where a session's title comes from, weakest first. */
export const titleSources = ["prompt", "agent", "summary", "user"] as const;

/** Whose something is. */
export const authorship = {
  /** What others' words are labelled with; null: they are this person's. */
  author: nullable(text("author", { merge: "latest" })),
  /** The key that signed it (SHA256:…), or a colleague's role at a team's server; null: it was recorded here, or nobody signed it. */
  signer: nullable(text("author", { merge: "latest" })),
};

export const sessions = table({
  name: "sessions",
  columns: {
    id: rowId(),
    /** The agent's own id; of a subagent <session>/<agent id>. */
    uid: text("session", { isUnique: true, shared: true }),
    agent: text("agent", { shared: true }),
    parentId: nullable(reference("sessions", { shared: "parent" })),
    parentToolUse: nullable(text("id", { shared: true })),
    agentType: nullable(text("tool", { shared: true })),
    /** The session whose lines its transcript begins with; they are stored there only. */
    forkedFrom: nullable(reference("sessions", { gone: "SET NULL", shared: true })),
    title: nullable(text("title", { together: "title", shared: true, isPrivate: true })),
    titleSource: nullable(oneOf(titleSources, { together: "title", shared: true })),
    cwd: text("place", { shared: true, isPrivate: true }),
    branch: nullable(text("branch", { together: "whereabouts", shared: true, isPrivate: true })),
    /** Of its first and its last line. */
    startedAt: nullable(time({ merge: "least", shared: true })),
    lastAt: nullable(time({ merge: "greatest", together: "whereabouts", shared: true })),
    /** Set when the agent said that it is over, reset when it goes on. */
    endedAt: nullable(time({ together: "whereabouts", shared: true })),
    endReason: nullable(text("tool", { together: "whereabouts", shared: true })),
    ...authorship,
  },
  indexes: {
    sessions_by_time: "(last_at)",
    sessions_of_parent: "(parent_id)",
    sessions_of_origin: "(forked_from) WHERE forked_from IS NOT NULL",
    sessions_by_author: "(author) WHERE author IS NOT NULL",
  },
});
