import type { ChangedFile } from "../../git/diff/changes-types.ts";
import type { AttributionBasis, AttributionHow, AuthorKind } from "../../protocol/values.ts";
import type { AttributionRecord, Binding } from "../../store/memory/memory-records.ts";

/** The author of a line, as far as known. */
export interface AuthorVerdict {
  author: AuthorKind;
  sessionUid: string | null;
  turn: number | null;
  toolUse: string | null;
  model: string | null;
  confidence: number;
  how: AttributionHow;
  /** null: another tool's note, or a basis of a colleague's Pommel that this one does not have. */
  basis: AttributionBasis | null;
}

/**
 * How often verdicts were right that rest on this, in repositories on which no rule was chosen (docs/benchmarks.md#who-wrote-a-line):
 * (right + 1) / (all + 2) lines, so that few lines count less, and never more than 0.99.
 */
const rightShares: Readonly<Partial<Record<AttributionBasis, number>>> = {
  written: 0.99,
  written_unseen: 0.99,
  written_elsewhen: 0.97,
  in_command: 0.99,
  elsewhere: 0.93,
  replied: 0.93,
  ran: 0.99,
  named: 0.99,
  generated: 0.98,
  installed: 0.98,
  replaced: 0.97,
  brought: 0.95,
  formatted: 0.83,
  moved: 0.98,
  alone: 0.99,
  absence: 0.99,
  patched: 0.98,
};
const getRightShare = (basis: AttributionBasis): number => rightShares[basis] ?? 0;

const nobody = { sessionUid: null, turn: null, toolUse: null, model: null };

export const makeUnknownVerdict = (basis: AttributionBasis = "none"): AuthorVerdict => ({
  ...nobody,
  author: "unknown",
  confidence: 0,
  how: "none",
  basis,
});

/** Whether a line is unknown because an agent may have written it. */
export const canBeByAgent = (basis: AttributionBasis | null): boolean =>
  basis === "verbatim" || basis === "command" || basis === "several";

/** Whether a line was in the project before and only came to another place: its writer had no part in that. */
export const isMovedLine = ({ basis }: Partial<Pick<AuthorVerdict, "basis">>): boolean => basis === "moved";

export const makeHumanVerdict = (basis: AttributionBasis): AuthorVerdict => ({
  ...nobody,
  author: "human",
  confidence: getRightShare(basis),
  how: "absence",
  basis,
});

export function makeAgentVerdict(
  { sessionUid, turn, toolUse, model }: Pick<AuthorVerdict, "sessionUid" | "turn" | "toolUse" | "model">,
  how: AttributionHow,
  basis: AttributionBasis,
): AuthorVerdict {
  const confidence = getRightShare(basis);
  return { author: "agent", sessionUid, turn, toolUse, model, confidence, how, basis };
}

/** The same author, by other evidence. */
export const changeVerdictBasis = (
  verdict: AuthorVerdict,
  basis: AttributionBasis,
  how: AttributionHow = verdict.how,
): AuthorVerdict => ({ ...verdict, how, basis, confidence: getRightShare(basis) });

/** Of a line that was there before, and is at another place or in another form now: as sure as its author was there. */
export const toMovedVerdict = (verdict: AuthorVerdict): AuthorVerdict =>
  verdict.author === "unknown"
    ? verdict
    : {
        ...changeVerdictBasis(verdict, "moved", "moved"),
        confidence: Math.min(verdict.confidence, getRightShare("moved")),
      };

/** Whether two lines were written by the same, so that they are one range. */
export function isSameVerdict(one: AuthorVerdict, other: AuthorVerdict): boolean {
  return (
    one.author === other.author &&
    one.sessionUid === other.sessionUid &&
    one.turn === other.turn &&
    one.toolUse === other.toolUse &&
    one.model === other.model &&
    one.confidence === other.confidence &&
    one.how === other.how &&
    one.basis === other.basis
  );
}

/** Raised whenever the same commit may come to other attributions. */
export const attributionVersion = 15;

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
  /** It took the place of another, and may hold what was written after its author's date. */
  isAmended?: boolean;
  files: readonly ChangedFile[];
}

/** Who had a part in a commit. */
export interface AttributedChange {
  /** Every added line of every text file is in one of them; by path and line. */
  ranges: AttributionRecord[];
  /** The one with the most lines first; empty: no agent took part in it, as far as is known. */
  bindings: Binding[];
}
