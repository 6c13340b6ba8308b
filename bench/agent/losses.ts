import { resultOf } from "./figures.ts";
import type { Outcome, Policy, Trial } from "./run.ts";

/** A task in which Pommel did worse. */
export interface Loss {
  trial: Trial;
  ours: Outcome;
  theirs: Outcome;
  why: string;
}

/** The tasks lost, those first in which the most was lost: answers that only the other way found, then lines. */
export function worstOf(trials: readonly Trial[], against: Policy, most: number): Loss[] {
  return trials
    .flatMap((trial) => {
      const [ours, theirs] = [trial.outcomes.search_code, trial.outcomes[against]];
      if (!ours || !theirs || resultOf(ours, theirs) !== "loss") return [];
      return [{ trial, ours, theirs, why: whyOf(trial, ours, theirs) }];
    })
    .sort(
      (a, b) =>
        Number(a.ours.isFound) - Number(b.ours.isFound) ||
        b.ours.lines - b.theirs.lines - (a.ours.lines - a.theirs.lines),
    )
    .slice(0, most);
}

function whyOf({ foundAt }: Trial, ours: Outcome, theirs: Outcome): string {
  const without = theirs.calls === 1 ? "grep: one call" : `grep: ${theirs.calls} calls`;
  if (!ours.isFound) return `not read before the budget was spent, or nothing was left to read; ${without}`;
  if (foundAt === null) return `not among the results, found by grep after them; ${without}`;
  if (foundAt === 1) return `result 1, but the list of results is longer than what grep takes; ${without}`;
  return `result ${foundAt}, after those before it; ${without}`;
}
