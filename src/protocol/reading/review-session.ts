import type { ReviewSession } from "../operations/review.ts";
import { linkEvidence } from "./link-evidence.ts";

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
export const tieOf = ({ how, confidence }: Pick<ReviewSession, "how" | "confidence">): string =>
  how === null || confidence === null ? "" : linkEvidence({ how, confidence });
