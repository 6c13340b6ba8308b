import type { Speaker } from "../../protocol/origin.ts";
import type { TurnState } from "../../protocol/values.ts";
import type { checkpointSessions, checkpoints } from "../tables/checkpoints.ts";
import type { chunks } from "../tables/chunks.ts";
import type { attributions, commitFiles, commits } from "../tables/commits.ts";
import type { eventLinks, events } from "../tables/events.ts";
import type { notes } from "../tables/notes.ts";
import type { sessions } from "../tables/sessions.ts";
import type { summaries } from "../tables/summaries.ts";
import type { TableRow } from "../tables/table.ts";
import type { turnFiles, turns } from "../tables/turns.ts";
import type { activity, jobs } from "../tables/upkeep.ts";

/** The records of memory.db, as the rest of the program sees them. Times are milliseconds since the epoch. */

export type EventType = SessionChunk["eventType"];

export type SessionRecord = TableRow<typeof sessions>;

export type TitleSource = NonNullable<SessionRecord["titleSource"]>;

/** Whose something is. */
export type Authorship = Pick<SessionRecord, "author" | "signer">;

/** Left out: this person's. */
type WithAuthor<R extends Authorship> = Omit<R, keyof Authorship> & Partial<Authorship>;

export interface TurnRecord extends Omit<TableRow<typeof turns>, "words" | "content"> {
  /** null for one that an older Pommel stored. */
  state: TurnState | null;
  /** Calls by what they did: `ToolAction` of agents/agent.ts. */
  actions: Record<string, number>;
  files: TurnFile[];
}

export type TurnFile = Omit<TableRow<typeof turnFiles>, "turnId">;

/** The four streams that a chunk is found by; each as text, made into tokens when it is stored. */
export interface ChunkTerms {
  /** What the human said. */
  prompt: string;
  /** What the agent said. */
  answer: string;
  /** Tools, commands, files, search patterns, names in edits. */
  actions: string;
  errors: string;
}

declare const chunkBrand: unique symbol;

/** Names a stored chunk of a session: to be compared and handed back, nothing else. Later ones are larger. */
export type SessionChunkId = number & { readonly [chunkBrand]: true };

/** A searchable span of a session. */
export type SessionChunk = Omit<TableRow<typeof chunks>, "id" | "sessionId">;

/** A model's vectors of a chunk's passages: an int8 vector each, side by side; empty where the model has none. */
export interface PassageVectors {
  dimensions: number;
  data: Int8Array;
}

/** A decision in the author's words; a question's answer as "Question → answer". */
export interface ChunkDecision {
  text: string;
  turn: number;
  by: Speaker;
}

export interface ChunkToStore extends SessionChunk {
  /** Left out for chunks of notes and summaries. */
  decisions?: readonly ChunkDecision[];
  terms: ChunkTerms;
  /** By model id. */
  vectors: ReadonlyMap<string, PassageVectors>;
}

export type NoteRecord = WithAuthor<TableRow<typeof notes>>;

export type SummaryRecord = TableRow<typeof summaries>;

export type JobRecord = TableRow<typeof jobs>;

export type JobKind = JobRecord["kind"];

export type ActivityRecord = Omit<TableRow<typeof activity>, "id">;

export type CommitRecord = TableRow<typeof commits>;

export type CommitSeen = CommitRecord["seen"];

/** A file that a commit changed. */
export interface CommitFileRecord extends Omit<TableRow<typeof commitFiles>, "commitId" | "added"> {
  added: AddedKey[];
}

/** A line that was added: its number in the file, from 1, and its key (attribution/lines/line-keys.ts). */
export interface AddedKey {
  line: number;
  key: number;
}

type StoredAttribution = Omit<TableRow<typeof attributions>, "commitId">;

/** Lines of a commit's version of a file that have one author. */
export type AttributionRecord = Omit<StoredAttribution, "basis"> & Partial<Pick<StoredAttribution, "basis">>;

/** A session's part in a commit. */
export type Binding = Omit<TableRow<typeof checkpointSessions>, "checkpointUid">;

/** A commit that sessions led to. What is shared refers to its uid. */
export interface CheckpointRecord extends Omit<TableRow<typeof checkpoints>, "commitId"> {
  /** What people and programs call it by: the first twelve digits of the commit's hash. */
  id: string;
  commit: CommitRecord;
  /** The one with the most lines first. */
  sessions: Binding[];
}

/** A named group of sessions and checkpoints. */
export type EventRecord = WithAuthor<TableRow<typeof events>>;

export type EventLink = TableRow<typeof eventLinks>;
