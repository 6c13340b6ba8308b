import type { ChunkKind, ChunkType, TurnState } from "../../protocol/values.ts";

/** The records of memory.db, as the rest of the program sees them. Times are milliseconds since the epoch. */

export type EventType = "user_prompt" | "tool_use" | "assistant" | "mixed";

export type SummarySource = "extractive" | "compaction" | "llm";

/** Where a session's title comes from, weakest first. */
export const titleSources = ["prompt", "agent", "summary", "user"] as const;
export type TitleSource = (typeof titleSources)[number];

export interface SessionRecord {
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
  /** The name under which a colleague shared it; null: recorded here, or not known. */
  author: string | null;
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
  by: "human" | "agent";
}

export interface ChunkToStore extends SessionChunk {
  /** Left out for chunks of notes and summaries. */
  decisions?: readonly ChunkDecision[];
  terms: ChunkTerms;
  /** By model id. */
  vectors: ReadonlyMap<string, PassageVectors>;
}

export interface AnnotationRecord {
  id: number;
  uid: string;
  sessionUid: string | null;
  turn: number | null;
  lineUid: string | null;
  at: number;
  source: "prompt" | "shell" | "agent";
  branch: string | null;
  note: string;
  /** As of a session. */
  author?: string | null;
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
