import { type BranchWorkedOn, branchesWithoutEvent } from "../../store/memory/events.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { isTopical, titleOfBranch } from "./branch-title.ts";

/** An event that there could be: a branch that was worked on, and that no event is about. */
export interface SuggestedEvent extends BranchWorkedOn {
  title: string;
}

/** Suggestions, the branch that something happened on last first. */
export function suggestEvents(memory: Memory): SuggestedEvent[] {
  return branchesWithoutEvent(memory)
    .filter(({ branch }) => isTopical(branch))
    .map((row) => ({ ...row, title: titleOfBranch(row.branch) }));
}
