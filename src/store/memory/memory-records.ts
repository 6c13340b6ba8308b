import type { NoteSource, Speaker } from "../../protocol/origin.ts";
import type {
  AttributionBasis,
  AttributionHow,
  AuthorKind,
  BindingHow,
  ChunkKind,
  ChunkType,
  eventStatuses,
  eventTypes,
  TurnState,
} from "../../protocol/values.ts";

/** The records of memory.db, as the rest of the program sees them. Times are milliseconds since the epoch. */

export type EventType = "user_prompt" | "tool_use" | "assistant" | "mixed";

export type SummarySource = "extractive" | "compaction" | "llm";

/** Where a session's title comes from, weakest first. */
export const titleSources = ["prompt", "agent", "summary", "user"] as const;
export type TitleSource = (typeof titleSources)[number];

/** Whose something is. */
export interface Authorship {
  /** What others' words are labelled with; null: they are this person's. */
  author: string | null;
  /** The key that signed it, or a colleague's role at a team's server; null: it was recorded here, or nobody signed it. */
  signer: string | null;
}

export interface SessionRecord extends Authorship {
  id: number;
  uid: string;
  agent: string;
  parentId: number | null;
  parentToolUse: string | null;
  agentType: string | null;
  forkedFrom: number | null;
  title: string | null;
  titleSource: TitleSource | null;
  cwd: string;
  branch: string | null;
  startedAt: number | null;
  lastAt: number | null;
  endedAt: number | null;
  endReason: string | null;
}

export interface TurnRecord {
  id: number;
  sessionId: number;
  number: number;
  startedAt: number | null;
  endedAt: number | null;
  branch: string | null;
  abandoned: boolean;
  /** null for one that an older Pommel stored. */
  state: TurnState | null;
  groupStart: number;
  /** The start of the prompt. */
  prompt: string;
  /** Calls by the tool's name. */
  tools: Record<string, number>;
  /** Calls by what they did: `ToolAction` of agents/agent.ts. */
  actions: Record<string, number>;
  files: TurnFile[];
}

export interface TurnFile {
  /** Relative to the project's root with slashes; absolute outside of it. */
  path: string;
  how: "read" | "edit" | "write";
}

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
export interface SessionChunk {
  /** `<session>:<type>:<position>`: the same for the same span of the same session. */
  uid: string;
  position: number;
  firstTurn: number;
  lastTurn: number;
  /** Lines that it covers, by their order in the session; null for one that covers none. */
  firstSeq: number | null;
  lastSeq: number | null;
  type: ChunkType;
  kind: ChunkKind;
  eventType: EventType;
  abandoned: boolean;
  branch: string | null;
  startedAt: number | null;
  endedAt: number | null;
  annotationId: number | null;
  /** For people and agents to read: `[USER] ...`, `[ASSISTANT] ...`, `[TOOL_USE] ...`, `[TOOL_RESULT] ...`. */
  text: string;
  files: string[];
}

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

export interface AnnotationRecord extends Partial<Authorship> {
  id: number;
  uid: string;
  sessionUid: string | null;
  turn: number | null;
  lineUid: string | null;
  at: number;
  source: NoteSource;
  branch: string | null;
  note: string;
}

export interface SummaryRecord {
  id: number;
  sessionId: number;
  source: SummarySource;
  upToTurn: number;
  at: number;
  model: string | null;
  text: string;
}

export type JobKind =
  | "transcript"
  | "summary"
  | "model-summary"
  | "deep-scrub"
  | "scrub"
  | "recut"
  | "retain"
  | "commit"
  | "history"
  | "sync";

export interface JobRecord {
  id: number;
  kind: JobKind;
  subject: string;
  payload: Record<string, unknown>;
  state: "pending" | "running" | "dead";
  /** Who works on it: a text that identifies one daemon. */
  owner: string | null;
  priority: number;
  attempts: number;
  notBefore: number;
  error: string | null;
  done: number;
  total: number;
  createdAt: number;
  updatedAt: number;
}

export interface ActivityRecord {
  at: number;
  kind: JobKind;
  subject: string;
  outcome: "done" | "dead";
  chunks: number;
  /** As `total` of the job. */
  units: number;
  tookMs: number;
}

/** Records of commits in memory.db, as the rest of the program sees them. Times are milliseconds since the epoch. */

/** How a commit came to be known. */
export type CommitSeen = "hook" | "reflog" | "history" | "sync";

export interface CommitRecord {
  id: number;
  hash: string;
  tree: string;
  parents: string[];
  /** Where it was made; null where unknown. */
  branch: string | null;
  author: string;
  authoredAt: number;
  committedAt: number;
  subject: string;
  patchId: string | null;
  rewrittenFrom: string[];
  insertions: number;
  deletions: number;
  seen: CommitSeen;
  /** Version of the attribution that looked at it; 0: none has. */
  attributed: number;
}

/** A file that a commit changed. */
export interface CommitFileRecord {
  /** From the project's root, with slashes. */
  path: string;
  oldPath: string | null;
  status: string;
  insertions: number;
  deletions: number;
  added: AddedKey[];
}

/** A line that was added: its number in the file, from 1, and its key (attribution/line-keys.ts). */
export interface AddedKey {
  line: number;
  key: number;
}

/** Lines of a commit's version of a file that have one author; both ends included, from 1. */
export interface AttributionRecord {
  path: string;
  firstLine: number;
  lastLine: number;
  author: AuthorKind;
  sessionUid: string | null;
  turn: number | null;
  toolUse: string | null;
  model: string | null;
  /** 0 to 1. */
  confidence: number;
  how: AttributionHow;
  /** null: another tool's note, or a basis of a colleague's Pommel that this one does not have. */
  basis?: AttributionBasis | null;
}

/** A session's part in a commit. */
export interface Binding {
  sessionUid: string;
  /** Ascending. */
  turns: number[];
  /** Lines of the commit that it wrote. */
  lines: number;
  how: BindingHow;
  confidence: number;
}

/** A commit that sessions led to. */
export interface CheckpointRecord {
  /** Twelve hexadecimal digits, the same on every machine; what is shared refers to it. */
  uid: string;
  /** What people and programs call it by: the first twelve digits of the commit's hash. */
  id: string;
  commit: CommitRecord;
  parentUid: string | null;
  agentState: Record<string, unknown>;
  createdAt: number;
  /** The one with the most lines first. */
  sessions: Binding[];
}

/** A named group of sessions and checkpoints. */
export interface EventRecord extends Partial<Authorship> {
  uid: string;
  title: string;
  description: string;
  type: (typeof eventTypes)[number];
  status: (typeof eventStatuses)[number];
  branch: string | null;
  startsAt: number | null;
  endsAt: number | null;
  createdAt: number;
  updatedAt: number;
}

export interface EventLink {
  eventUid: string;
  kind: "session" | "checkpoint";
  targetUid: string;
  addedAt: number;
  /** It was unlinked then; null: it is linked. */
  removedAt: number | null;
}
