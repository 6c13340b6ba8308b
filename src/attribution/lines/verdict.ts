import type { AttributionBasis, AttributionHow, AuthorKind } from "../../protocol/values.ts";

/** The author of a line, as far as known. */
export interface Verdict {
  author: AuthorKind;
  sessionUid: string | null;
  turn: number | null;
  toolUse: string | null;
  model: string | null;
  confidence: number;
  how: AttributionHow;
  /** null: stored by an older Pommel. */
  basis: AttributionBasis | null;
}

const nobody = { sessionUid: null, turn: null, toolUse: null, model: null };

export const unknown = (basis: AttributionBasis = "none"): Verdict => ({
  ...nobody,
  author: "unknown",
  confidence: 0,
  how: "none",
  basis,
});

/** Whether a line is unknown because an agent may have written it. */
export const mayBeAgents = (basis: AttributionBasis | null): boolean =>
  basis === "verbatim" || basis === "command" || basis === "several";

/** Whether a line was in the project before and only came to another place: its writer had no part in that. */
export const wasThere = ({ basis }: Partial<Pick<Verdict, "basis">>): boolean => basis === "moved";

export const human = (confidence: number, basis: AttributionBasis): Verdict => ({
  ...nobody,
  author: "human",
  confidence,
  how: "absence",
  basis,
});

export function byAgent(
  { sessionUid, turn, toolUse, model }: Pick<Verdict, "sessionUid" | "turn" | "toolUse" | "model">,
  confidence: number,
  how: AttributionHow,
  basis: AttributionBasis,
): Verdict {
  return { author: "agent", sessionUid, turn, toolUse, model, confidence, how, basis };
}

/** Whether two lines were written by the same, so that they are one range. */
export function isSameVerdict(one: Verdict, other: Verdict): boolean {
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
