import type {
  AttributionBasis,
  AttributionHow,
  AuthorKind,
  BindingHow,
  eventStatuses,
  eventTypes,
} from "../../protocol/values.ts";

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
  /** null: stored by a Pommel that did not say. */
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
export interface EventRecord {
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
