import { type BranchWorkedOn, listBranchesWithoutEvent } from "../../store/memory/events.ts";
import type { Memory } from "../../store/memory/memory.ts";
import branchKinds from "./branch-kinds.json" with { type: "json" };

/** What branch names say: which are about something, and what. */

/** Branches that everything ends up on; they have no single subject. */
const defaults =
  /^(main|master|develop|development|dev|trunk|head|gh-pages|releases?([/-].*)?|v?\d+(\.[\dx]+)*)$/i;

/** Branches of robots, and those that tools keep their own data on. */
const foreign = /^(dependabot|renovate|snyk-[^/]*|pre-commit-ci[^/]*|entire|pommel)\//i;

/** The kind of change, or the agent that makes it, does not name the subject. */
const kinds = new Set(branchKinds);

/** Whether a branch is about one thing, which an event could be. */
function isTopical(branch: string): boolean {
  return branch.trim() !== "" && !defaults.test(branch) && !foreign.test(branch);
}

/** `feat/auth-rewrite` as "auth rewrite", `PROJ-123-fix-login` as "PROJ-123 fix login". */
export function makeBranchTitle(branch: string): string {
  const segments = branch.split("/").filter((segment) => segment !== "");
  while (segments.length > 1 && kinds.has(segments[0]!.toLowerCase())) segments.shift();
  const words = segments.map((segment) => {
    const [ticket = ""] = /^([A-Z][A-Z0-9]*|[a-z]{2,10})-\d+(?=$|[-_])/.exec(segment) ?? [];
    const rest = segment.slice(ticket.length).replace(/[-_]+/g, " ");
    return `${ticket}${rest}`.trim();
  });
  return words.filter((word) => word !== "").join(" ") || branch;
}

/** An event that there could be: a branch that was worked on, and that no event is about. */
export interface SuggestedEvent extends BranchWorkedOn {
  title: string;
}

/** Suggestions, the branch that something happened on last first. */
export function suggestEvents(memory: Memory): SuggestedEvent[] {
  return listBranchesWithoutEvent(memory)
    .filter(({ branch }) => isTopical(branch))
    .map((row) => ({ ...row, title: makeBranchTitle(row.branch) }));
}
