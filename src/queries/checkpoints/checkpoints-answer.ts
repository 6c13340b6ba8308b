import type { AuthorKind, BindingHow } from "../../store/memory/git-records.ts";

/** What the commands about checkpoints answer; the keys are those of their JSON. */

export interface CheckpointsRequest {
  /** A session's id, or the beginning that no other has. */
  session?: string | undefined;
  branch?: string | undefined;
  /** By the time of the commit: ISO 8601 or in words. */
  since?: string | undefined;
  until?: string | undefined;
  limit?: number | undefined;
}

/** A session's part in a commit. */
export interface CheckpointSession {
  session_id: string;
  title: string | null;
  agent: string | null;
  turns: number[];
  /** Lines of the commit that it wrote. */
  lines: number;
  how: BindingHow;
  confidence: number;
}

export type LinesByAuthor = Record<AuthorKind, number>;

export interface CheckpointSummary {
  id: string;
  commit: string;
  tree: string;
  branch: string | null;
  /** The checkpoint before it. */
  parent_id: string | null;
  author: string;
  subject: string;
  /** ISO 8601. */
  committed_at: string;
  insertions: number;
  deletions: number;
  /** Lines that were added, by who wrote them. */
  lines: LinesByAuthor;
  sessions: CheckpointSession[];
  /** Commits that took its place. */
  rewritten_as: string[];
}

export interface CheckpointsAnswer {
  checkpoints: CheckpointSummary[];
  total: number;
}

export interface TurnOfCheckpoint {
  turn: number;
  /** The beginning of what was asked; null where the turn is not stored. */
  prompt: string | null;
  started_at: string | null;
}

export interface FileOfCheckpoint {
  path: string;
  old_path: string | null;
  status: string;
  insertions: number;
  deletions: number;
  lines: LinesByAuthor;
}

export interface CheckpointAnswer extends Omit<CheckpointSummary, "sessions"> {
  parents: string[];
  /** In a line. */
  diff_summary: string;
  files: FileOfCheckpoint[];
  sessions: (Omit<CheckpointSession, "turns"> & { turns: TurnOfCheckpoint[] })[];
  /** What the agents were at when it was made, by session. */
  agent_state: Record<string, unknown>;
  /** Checkpoints that come right after it. */
  next_ids: string[];
}

/** One side of a comparison: a checkpoint, or a commit that is none. */
export interface ComparedSide {
  /** null: no session is known to have led to it. */
  id: string | null;
  commit: string;
  subject: string | null;
}

export interface FileDifference {
  path: string;
  old_path: string | null;
  /** null: binary. */
  insertions: number | null;
  deletions: number | null;
}

export interface DiffAnswer {
  from: ComparedSide;
  to: ComparedSide;
  files: FileDifference[];
  insertions: number;
  deletions: number;
  /** Sessions that led to what one side has and the other has not. */
  sessions: {
    session_id: string;
    title: string | null;
    /** Which side has it. */
    side: "from" | "to";
    checkpoints: string[];
    turns: TurnOfCheckpoint[];
  }[];
  patch?: string;
}
