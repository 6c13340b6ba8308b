import {
  caution,
  type Document,
  faint,
  faintlyAgo,
  indentedLine,
  joinParts,
  line,
  makeDocument,
  makeTurnPiece,
  type Paragraph,
  wordShown,
} from "../../answers/document.ts";
import type { Decision } from "../../protocol/decision.ts";
import { labelWords, type Readership } from "../../protocol/origin.ts";

/** What a decision was found in. */
export const decisionSources: Readonly<Record<Decision["source"], string>> = {
  annotation: "note",
  conversation: "session",
  adr: "decision record",
  comment: "comment",
  commit: "commit",
  memory: "agent's memory",
};

/** Whose note or decision it is; null for what the repository itself says. */
export const labelDecision = (
  { source, by, author }: Pick<Decision, "source" | "by" | "author">,
  reader: Readership,
): string | null =>
  by === null
    ? null
    : `${labelWords(source === "annotation" ? "note" : "decision", { by, author }, reader)}:`;

/** What was decided. */
export function wordDecisions(
  { decisions, total }: { decisions: readonly Decision[]; total: number },
  reader: Readership,
): Document {
  if (decisions.length === 0) return [[line("No decisions found.")]];
  return makeDocument(
    ...decisions.map((decision) => wordDecision(decision, reader)),
    wordShown(decisions.length, total),
  );
}

/** How sure it is that a decision was superseded. */
export const supersededWords = { known: "superseded", likely: "likely superseded" } as const;

/** "Likely superseded by": only the words of the later one say so. */
export const labelSuperseded = ({ superseded }: Pick<Decision, "superseded">): string =>
  superseded === "likely" ? "Likely superseded by" : "Superseded by";

/** A note names what it replaces; that a decision goes against another is read from their words. */
export const labelSupersedes = ({ source }: Pick<Decision, "source">): string =>
  source === "annotation" ? "Supersedes" : "Likely supersedes";

const inCode = { kept: "kept", changed: "changed since", gone: "gone" } as const;

/** A decision with its place, and what superseded it. */
export function wordDecision(decision: Decision, reader: Readership): Paragraph {
  const { text, session_id, session_title, turn, timestamp, branch, score, superseded_by, supersedes } =
    decision;
  const label = labelDecision(decision, reader);
  return [
    { is: "passage", text: label === null ? text : `${label} ${text}` },
    ...(superseded_by === null
      ? []
      : [indentedLine(2, 2, caution(`${labelSuperseded(decision)}: `), caution(superseded_by))]),
    ...supersedes.map((earlier) => indentedLine(2, 2, faint(`${labelSupersedes(decision)}: ${earlier}`))),
    indentedLine(
      2,
      2,
      ...joinParts(
        [
          decision.place !== null && faint(decision.place),
          faintlyAgo(timestamp),
          session_id !== null && [faint("session: "), makeTurnPiece(session_id, turn, "faint")],
          branch !== null && faint(branch),
          session_title !== null && faint(session_title),
          decision.in_code != null && faint(`in the code: ${inCode[decision.in_code]}`),
          score !== null && faint(`score ${score.toFixed(2)}`),
        ],
        " | ",
      ),
    ),
  ];
}
