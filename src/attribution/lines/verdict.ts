import type { AttributionHow, AuthorKind } from "../../protocol/values.ts";

/** The author of a line, as far as known. */
export interface Verdict {
  author: AuthorKind;
  sessionUid: string | null;
  turn: number | null;
  toolUse: string | null;
  model: string | null;
  confidence: number;
  how: AttributionHow;
}

const nobody = { sessionUid: null, turn: null, toolUse: null, model: null };

export const unknown: Verdict = { ...nobody, author: "unknown", confidence: 0, how: "none" };

export const human = (confidence: number, how: AttributionHow = "absence"): Verdict => ({
  ...nobody,
  author: "human",
  confidence,
  how,
});

export function byAgent(
  { sessionUid, turn, toolUse, model }: Pick<Verdict, "sessionUid" | "turn" | "toolUse" | "model">,
  confidence: number,
  how: AttributionHow,
): Verdict {
  return { author: "agent", sessionUid, turn, toolUse, model, confidence, how };
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
    one.how === other.how
  );
}
