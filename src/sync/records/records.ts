import * as z from "zod/mini";
import { attributionBases } from "../../protocol/values.ts";
import { titleSources } from "../../store/memory/memory-records.ts";
import { maxTime } from "../../text/dates.ts";

/**
 * The records on the shared branch. Unknown fields are kept, because a newer client may have written them. Times are
 * milliseconds since the epoch, paths are relative to the project's root.
 */

const text = z.string();
const orNull = <T extends z.ZodMiniType>(shape: T) => z.nullable(shape);
/** SQLite stores whole numbers only, and a Date holds no more. */
const moment = z.int().check(z.minimum(-maxTime), z.maximum(maxTime));
const time = orNull(moment);
const count = z.int().check(z.minimum(0));

const summary = z.looseObject({
  source: z.enum(["llm", "compaction"]),
  up_to_turn: z.int(),
  at: moment,
  model: orNull(text),
  text,
});

/** `sessions/<uid>/meta.json` */
export const sessionShape = z.looseObject({
  uid: text.check(z.minLength(1)),
  agent: text,
  /** A subagent's parent session. */
  parent: orNull(text),
  parent_tool_use: orNull(text),
  agent_type: orNull(text),
  forked_from: orNull(text),
  title: orNull(text),
  title_source: orNull(z.enum(titleSources)),
  /** The time of the session's last line when it got this title. */
  title_at: time,
  /** Who recorded it; left out by an older Pommel, or where that is not known. */
  author: z.optional(orNull(text)),
  /** `~` stands for the home directory. */
  cwd: text,
  branch: orNull(text),
  started_at: time,
  last_at: time,
  ended_at: time,
  end_reason: orNull(text),
  summaries: z.array(summary),
});
export type SharedSession = z.infer<typeof sessionShape>;

/** A line of conversation, scrubbed: StoredLine of sessions/turn-content.ts. */
const line = z.looseObject({
  uid: orNull(text),
  seq: count,
  at: orNull(z.number()),
  entries: z.array(z.looseObject({ kind: text })),
});
export type SharedLine = z.infer<typeof line>;

const usage = z.looseObject({
  message: text,
  model: text,
  input: count,
  output: count,
  cache_read: count,
  cache_write: count,
});
export type SharedUsage = z.infer<typeof usage>;

/** A line of `sessions/<uid>/transcript.jsonl` */
export const turnShape = z.looseObject({
  /** The uid of its first line: two machines may continue a session with a different turn 8. */
  id: text.check(z.minLength(1)),
  number: count,
  branch: orNull(text),
  abandoned: z.boolean(),
  lines: z.array(line),
  /** Lines without content that others refer to: positions by uid. */
  also: z.record(text, count),
  usage: z.array(usage),
});
export type SharedTurn = z.infer<typeof turnShape>;

const commit = z.looseObject({
  hash: text.check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)),
  tree: text,
  parents: z.array(text),
  branch: orNull(text),
  author: text,
  authored_at: moment,
  committed_at: moment,
  subject: text,
  patch_id: orNull(text),
  rewritten_from: z.array(text),
  insertions: count,
  deletions: count,
});
export type SharedCommit = z.infer<typeof commit>;

const binding = z.looseObject({
  session: text,
  turns: z.array(z.int()),
  lines: count,
  how: z.enum(["lines", "removed", "command", "touched", "trailer"]),
  confidence: z.number().check(z.minimum(0), z.maximum(1)),
});
export type SharedBinding = z.infer<typeof binding>;

/** `checkpoints/<uid>.json` */
export const checkpointShape = z.looseObject({
  uid: text.check(z.minLength(1)),
  commit,
  parent: orNull(text),
  agent_state: z.record(text, z.unknown()),
  created_at: moment,
  sessions: z.array(binding),
});
export type SharedCheckpoint = z.infer<typeof checkpointShape>;

const range = z.looseObject({
  first: count,
  last: count,
  author: z.enum(["agent", "human", "unknown"]),
  session: orNull(text),
  turn: orNull(z.int()),
  tool_use: orNull(text),
  model: orNull(text),
  confidence: z.number().check(z.minimum(0), z.maximum(1)),
  how: z.enum(["edit", "shell", "moved", "inherited", "note", "absence", "none"]),
  /** Since attribution version 2; a newer Pommel may have others. */
  basis: z.optional(z.catch(z.nullable(z.enum(attributionBases)), null)),
});
export type SharedRange = z.infer<typeof range>;

/** `attributions/<first two digits>/<commit>.json` */
export const attributionShape = z.looseObject({
  commit,
  /** The version of the attribution. */
  version: count,
  files: z.record(text, z.array(range)),
});
export type SharedAttribution = z.infer<typeof attributionShape>;

/** `annotations/<uid>.json` */
export const annotationShape = z.looseObject({
  uid: text.check(z.minLength(1)),
  session: orNull(text),
  turn: orNull(z.int()),
  line: orNull(text),
  at: moment,
  source: z.enum(["prompt", "shell"]),
  by_agent: z.optional(z.boolean()),
  /** As of a session. */
  author: z.optional(orNull(text)),
  branch: orNull(text),
  note: text,
});
export type SharedAnnotation = z.infer<typeof annotationShape>;

const link = z.looseObject({
  kind: z.enum(["session", "checkpoint"]),
  target: text,
  added_at: moment,
  removed_at: time,
});

/** `events/<uid>.json` */
export const eventShape = z.looseObject({
  uid: text.check(z.minLength(1)),
  title: text,
  description: text,
  type: z.enum(["task", "temporal", "milestone"]),
  status: z.enum(["active", "frozen", "archived"]),
  branch: orNull(text),
  starts_at: time,
  ends_at: time,
  created_at: moment,
  updated_at: moment,
  links: z.array(link),
});
export type SharedEvent = z.infer<typeof eventShape>;
