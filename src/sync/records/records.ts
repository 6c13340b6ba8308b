import * as z from "zod/mini";
import { noteSources } from "../../protocol/origin.ts";
import { label, outside } from "../../protocol/shape-parts.ts";
import { attributionBases } from "../../protocol/values.ts";
import { titleSources } from "../../store/memory/memory-records.ts";
import { maxTime } from "../../text/dates.ts";

/**
 * The records on the shared branch. Unknown fields are kept, because a newer client may have written them. Times are
 * milliseconds since the epoch, paths are relative to the project's root. A record with an odd id or path is refused.
 */

const text = z.string();
const orNull = <T extends z.ZodMiniType>(shape: T) => z.nullable(shape);
/** SQLite stores whole numbers only, and a Date holds no more. */
const moment = z.int().check(z.minimum(-maxTime), z.maximum(maxTime));
const time = orNull(moment);
const count = z.int().check(z.minimum(0));
const session = outside("session");
const reference = outside("reference");
const hash = outside("commit");
const uid = outside("uid");
const id = outside("id");
const author = z.optional(orNull(label("author")));
const signer = z.optional(orNull(id));
const model = label("model");
/** An odd one is unknown. */
const branch = z.catch(orNull(outside("branch")), null);

const summary = z.looseObject({
  source: z.enum(["llm", "compaction"]),
  up_to_turn: z.int(),
  at: moment,
  model: orNull(model),
  text,
});

/** `sessions/<uid>/meta.json` */
export const sessionShape = z.looseObject({
  uid: session,
  agent: outside("agent"),
  /** A subagent's parent session. */
  parent: orNull(session),
  parent_tool_use: orNull(id),
  agent_type: orNull(label("tool")),
  forked_from: orNull(session),
  title: orNull(label("title")),
  title_source: orNull(z.enum(titleSources)),
  /** The time of the session's last line when it got this title. */
  title_at: time,
  /** Who recorded it, as they say; whose it is, signatures tell. */
  author,
  /** Of a copy within one home: what its author is known by. */
  signer,
  /** `~` stands for the home directory. */
  cwd: outside("place"),
  branch,
  started_at: time,
  last_at: time,
  ended_at: time,
  end_reason: orNull(label("tool")),
  summaries: z.array(summary),
});
export type SharedSession = z.infer<typeof sessionShape>;

/** A line of conversation, scrubbed: StoredLine of sessions/turn-content.ts. */
const line = z.looseObject({
  uid: orNull(id),
  seq: count,
  at: orNull(z.number()),
  entries: z.array(
    z.looseObject({
      kind: text,
      id: z.optional(id),
      tool: z.optional(label("tool")),
      files: z.optional(z.array(z.looseObject({ path: outside("place"), how: text }))),
    }),
  ),
});
export type SharedLine = z.infer<typeof line>;

const usage = z.looseObject({
  message: id,
  model,
  input: count,
  output: count,
  cache_read: count,
  cache_write: count,
});
export type SharedUsage = z.infer<typeof usage>;

/** A line of `sessions/<uid>/transcript.jsonl` */
export const turnShape = z.looseObject({
  /** The uid of its first line: two machines may continue a session with a different turn 8. */
  id,
  number: count,
  branch,
  abandoned: z.boolean(),
  lines: z.array(line),
  /** Lines without content that others refer to: positions by uid. */
  also: z.record(id, count),
  usage: z.array(usage),
});
export type SharedTurn = z.infer<typeof turnShape>;

const commit = z.looseObject({
  hash,
  tree: hash,
  parents: z.array(hash),
  branch,
  author: label("person"),
  authored_at: moment,
  committed_at: moment,
  subject: label("title"),
  patch_id: orNull(hash),
  rewritten_from: z.array(hash),
  insertions: count,
  deletions: count,
});
export type SharedCommit = z.infer<typeof commit>;

const binding = z.looseObject({
  session,
  turns: z.array(z.int()),
  lines: count,
  how: z.enum(["lines", "removed", "command", "touched", "trailer"]),
  confidence: z.number().check(z.minimum(0), z.maximum(1)),
});
export type SharedBinding = z.infer<typeof binding>;

/** `checkpoints/<uid>.json` */
export const checkpointShape = z.looseObject({
  uid,
  commit,
  parent: orNull(uid),
  agent_state: z.record(session, z.unknown()),
  created_at: moment,
  sessions: z.array(binding),
});
export type SharedCheckpoint = z.infer<typeof checkpointShape>;

const range = z.looseObject({
  first: count,
  last: count,
  author: z.enum(["agent", "human", "unknown"]),
  session: orNull(reference),
  turn: orNull(z.int()),
  tool_use: orNull(id),
  model: orNull(model),
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
  files: z.record(outside("file"), z.array(range)),
});
export type SharedAttribution = z.infer<typeof attributionShape>;

/** `annotations/<uid>.json` */
export const annotationShape = z.looseObject({
  uid,
  session: orNull(session),
  turn: orNull(z.int()),
  line: orNull(id),
  at: moment,
  source: z.enum(noteSources),
  /** As of a session. */
  author,
  signer,
  branch,
  note: text,
});
export type SharedAnnotation = z.infer<typeof annotationShape>;

const link = z.looseObject({
  kind: z.enum(["session", "checkpoint"]),
  target: reference,
  added_at: moment,
  removed_at: time,
});

/** `events/<uid>.json` */
export const eventShape = z.looseObject({
  uid,
  /** As of a session, of its words. */
  author,
  signer,
  title: label("title"),
  description: text,
  type: z.enum(["task", "temporal", "milestone"]),
  status: z.enum(["active", "frozen", "archived"]),
  branch,
  starts_at: time,
  ends_at: time,
  created_at: moment,
  updated_at: moment,
  links: z.array(link),
});
export type SharedEvent = z.infer<typeof eventShape>;

/** `signatures/<uid>.json`: records that one key signed together. */
export const signatureShape = z.looseObject({
  /** The SHA-256 of what is signed. */
  uid: text.check(z.regex(/^[0-9a-f]{64}$/)),
  /** Who the signer says to be. */
  name: orNull(text),
  /** The first commits of the project that it is of. */
  projects: z.array(id),
  /** What stands for the records (sync/origin/signed-records.ts). */
  digests: z.array(text.check(z.regex(/^[\w-]{43}$/))),
  /** As `ssh-keygen -Y sign` writes it. */
  signature: text,
});
export type SharedSignature = z.infer<typeof signatureShape>;
