import * as z from "zod/mini";
import { label, outside } from "../../protocol/shape-parts.ts";
import { attributionBases } from "../../protocol/values.ts";
import { checkpointSessions, checkpoints } from "../../store/tables/checkpoints.ts";
import { attributions, commits } from "../../store/tables/commits.ts";
import { eventLinks, events } from "../../store/tables/events.ts";
import { notes } from "../../store/tables/notes.ts";
import { sessions } from "../../store/tables/sessions.ts";
import { summaries } from "../../store/tables/summaries.ts";
import { turns, usage } from "../../store/tables/turns.ts";
import { buildSharedShape, moment } from "./shared-rows.ts";

/**
 * The records on the shared branch: rows of memory.db as their tables describe what is shared of them, with what belongs to them.
 * Times are milliseconds since the epoch, paths are relative to the project's root. A record with an odd id or path is refused.
 */

const text = z.string();
const count = z.int().check(z.minimum(0));
const session = outside("session");
const id = outside("id");

/** Who recorded it, as they say; whose it is, signatures tell. Of a copy within one home: what its author is known by. */
const authorship = {
  author: z.optional(z.nullable(label("author"))),
  signer: z.optional(z.nullable(id)),
};

/** `sessions/<uid>/meta.json`. In its directory `~` stands for the home directory. */
export const sessionShape = buildSharedShape(sessions, {
  ...authorship,
  /** The time of the session's last line when it got this title. */
  title_at: z.nullable(moment),
  summaries: z.array(buildSharedShape(summaries, { source: z.enum(["llm", "compaction"]) })),
});
export type SharedSession = z.infer<typeof sessionShape>;

/** A line of conversation, scrubbed: StoredLine of sessions/turn-content.ts. */
const line = z.looseObject({
  uid: z.nullable(id),
  seq: count,
  at: z.nullable(z.number()),
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

const usageShape = buildSharedShape(usage, {});
export type SharedUsage = z.infer<typeof usageShape>;

/** A line of `sessions/<uid>/transcript.jsonl` */
export const turnShape = buildSharedShape(turns, {
  /** The uid of its first line: two machines may continue a session with a different turn 8. */
  id,
  lines: z.array(line),
  /** Lines without content that others refer to: positions by uid. */
  also: z.record(id, count),
  usage: z.array(usageShape),
});
export type SharedTurn = z.infer<typeof turnShape>;

const commit = buildSharedShape(commits, {});
export type SharedCommit = z.infer<typeof commit>;

const binding = buildSharedShape(checkpointSessions, {});
export type SharedBinding = z.infer<typeof binding>;

/** `checkpoints/<uid>.json` */
export const checkpointShape = buildSharedShape(checkpoints, {
  commit,
  agent_state: z.record(session, z.unknown()),
  sessions: z.array(binding),
});
export type SharedCheckpoint = z.infer<typeof checkpointShape>;

const range = buildSharedShape(attributions, {
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
export const noteShape = buildSharedShape(notes, authorship);
export type SharedNote = z.infer<typeof noteShape>;

/** `events/<uid>.json` */
export const eventShape = buildSharedShape(events, {
  ...authorship,
  links: z.array(buildSharedShape(eventLinks, {})),
});
export type SharedEvent = z.infer<typeof eventShape>;

/** `signatures/<uid>.json`: records that one key signed together. */
export const signatureShape = z.looseObject({
  /** The SHA-256 of what is signed. */
  uid: text.check(z.regex(/^[0-9a-f]{64}$/)),
  /** Who the signer says to be. */
  name: z.nullable(text),
  /** The first commits of the project that it is of. */
  projects: z.array(id),
  /** What stands for the records (sync/origin/signed-records.ts). */
  digests: z.array(text.check(z.regex(/^[\w-]{43}$/))),
  /** As `ssh-keygen -Y sign` writes it. */
  signature: text,
});
export type SharedSignature = z.infer<typeof signatureShape>;
