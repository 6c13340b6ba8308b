import { integer, json, nullable, oneOf, real, rowId, table, text, time } from "./table.ts";

/** The memory's own affairs. */

export const meta = table({
  name: "meta",
  columns: { key: text("words", { isKey: true }), value: text("words") },
  holds: "state",
});

const jobKinds = [
  "transcript",
  "summary",
  "model-summary",
  "deep-scrub",
  "scrub",
  "recut",
  "retain",
  "commit",
  "history",
  "sync",
] as const;

export const jobs = table({
  name: "jobs",
  columns: {
    id: rowId(),
    kind: oneOf(jobKinds),
    /** What it is about: a transcript's path, a session's uid; one waiting job for each. */
    subject: text("words"),
    /** What the kind needs to know. */
    payload: json<Record<string, unknown>>({ default: "'{}'" }),
    state: oneOf(["pending", "running", "dead"]),
    /** Who works on it while it is running: a text that identifies one daemon. */
    owner: nullable(text("words")),
    /** Smaller first. */
    priority: integer(),
    attempts: integer({ default: "0" }),
    notBefore: time({ default: "0" }),
    error: nullable(text("words")),
    /** Units of work (bytes of a transcript). */
    done: integer({ default: "0" }),
    total: integer({ default: "0" }),
    createdAt: time(),
    updatedAt: time(),
  },
  indexes: {
    jobs_waiting: "UNIQUE (kind, subject) WHERE state = 'pending'",
    jobs_in_order: "(state, priority, not_before, id)",
  },
  holds: "work",
});

/** What the queue did last. */
export const activity = table({
  name: "activity",
  columns: {
    id: rowId(),
    at: time(),
    kind: oneOf(jobKinds),
    subject: text("words"),
    outcome: oneOf(["done", "dead", "gone"]),
    chunks: integer(),
    /** Units of work done (bytes of a transcript). */
    units: integer(),
    tookMs: integer(),
  },
  holds: "work",
});

/** What must not be stored (again): ids alone tell nothing of what was said. */
export const forgotten = table({
  name: "forgotten",
  columns: {
    uid: text("words", { isKey: true }),
    kind: oneOf(["session", "line", "annotation"]),
    at: time(),
  },
});

/** What language models were asked, by day (UTC, YYYY-MM-DD). */
export const llmUsage = table({
  name: "llm_usage",
  columns: {
    day: text("words"),
    model: text("model"),
    purpose: text("words"),
    requests: integer(),
    input: integer(),
    output: integer(),
    dollars: real(),
  },
  key: ["day", "model", "purpose"],
});

/** Size of the database, a row a day, to tell its growth. */
export const storageDays = table({
  name: "storage_days",
  columns: { day: text("words", { isKey: true }), bytes: integer() },
  holds: "samples",
});
