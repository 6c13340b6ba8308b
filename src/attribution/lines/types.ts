import type { ChangedFile } from "../../git/diff/changes-types.ts";
import type { AttributionRecord, Binding } from "../../store/memory/memory-records.ts";

/** Raised whenever the same commit may come to other attributions. */
export const attributionVersion = 12;

/** A commit, or uncommitted changes, to find the authors of. Times are milliseconds since the epoch. */
export interface ChangeToAttribute {
  /** null: the working tree. */
  hash: string | null;
  authoredAt: number;
  /** Nothing later can have led to it. */
  committedAt: number;
  /** The first line of its message, scrubbed. */
  subject: string;
  /** It was made on; null where unknown. */
  branch: string | null;
  /** The commit that its lines were removed from; null: it is the first. */
  parent: string | null;
  /** Hashes of commits that it replaced, according to git or its patch id. */
  predecessors: string[];
  /** It was made on this machine by its user: any agent involved would be known. */
  isOwn: boolean;
  files: readonly ChangedFile[];
}

/** Who had a part in a commit. */
export interface AttributedChange {
  /** Every added line of every text file is in one of them; by path and line. */
  ranges: AttributionRecord[];
  /** The one with the most lines first; empty: no agent took part in it, as far as is known. */
  bindings: Binding[];
}
