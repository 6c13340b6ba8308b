import { linkEvidence } from "../../protocol/reading/evidence.ts";
import type { ReviewAnswer, ReviewDecision, ReviewFile, ReviewSession } from "./operation.ts";

/** How a session stands in a review of a change. */

/** Its turns that are named before the rest is counted: those that wrote something say most. */
export function turnsToShow<Turn extends Pick<ReviewSession["turns"][number], "lines">>(
  turns: readonly Turn[],
  most: number,
): { shown: Turn[]; more: number } {
  const wrote = turns.filter(({ lines }) => lines > 0);
  const shown = (wrote.length > 0 ? wrote : turns).slice(0, most);
  return { shown, more: turns.length - shown.length };
}

/** What ties it to a commit of the change; "" where only the lines do. */
export const describeTie = ({ how, confidence }: Pick<ReviewSession, "how" | "confidence">): string =>
  how === null || confidence === null ? "" : linkEvidence({ how, confidence });

/** What became of a file; what was only changed needs no word. */
export const statusNames: Partial<Record<ReviewFile["status"], string>> = {
  A: "new",
  D: "deleted",
  R: "renamed",
  C: "copied",
  T: "another kind of file",
};

/** What a change does to a decision: it was made for it, it removes what was written for it, or a later one took its place. */
export function describeDecisionFate({ made_here, lines_removed, superseded_by }: ReviewDecision): string[] {
  return [
    ...(made_here ? ["made for this change"] : []),
    ...(lines_removed > 0
      ? [`may be broken: ${lines_removed.toLocaleString("en")} of its lines removed`]
      : []),
    ...(superseded_by === null ? [] : ["superseded"]),
  ];
}

/** What commits of a change undid of others: a path or a commit's subject as it is stored, and what became of it. */
export const contestedText = ({ reworked, reverts }: ReviewAnswer): [text: string, about: string][] => [
  ...reverts.map(({ subject, hash }): [string, string] => [subject, hash.slice(0, 8)]),
  ...reworked.map(({ path, lines, commits }): [string, string] => [
    path,
    `${lines.toLocaleString("en")} lines written and removed again, in ${commits} commits`,
  ]),
];
