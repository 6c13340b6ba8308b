import { defaultAgentName } from "../agents/profiles.ts";
import type { PartName } from "../agents/setup.ts";
import type { Project } from "../base/paths.ts";
import type { AgentPart } from "./agent-part.ts";
import { listAgentParts } from "./agent-part.ts";
import type { PartState } from "./part.ts";
import { makeProjectPlace, makeUserPlace } from "./record.ts";

/** A part where it is at its best: in the project's files or in the user's own. */
interface SeenPart {
  part: AgentPart;
  found: PartState;
  /** Its file, for a person. */
  where: string;
}

/** From the best to the worst; what cannot be read comes before all. */
const rankedStates: readonly PartState["state"][] = ["current", "partial", "outdated", "kept", "absent"];

/** Agents' parts of this name. */
export function seeParts(project: Project, name: PartName): SeenPart[] {
  const seen = new Map<string, SeenPart>();
  const rank = ({ state, error }: PartState) => (error === null ? rankedStates.indexOf(state) : -1);
  for (const part of [...listAgentParts(makeProjectPlace(project)), ...listAgentParts(makeUserPlace())]) {
    const found = part.name === name ? part.look() : null;
    const best = seen.get(part.key);
    if (found === null || (best && rank(best.found) <= rank(found))) continue;
    const isHome = part.place.scope === "user" && !found.file?.startsWith("/");
    seen.set(part.key, { part, found, where: isHome ? `~/${found.file}` : String(found.file) });
  }
  return [...seen.values()];
}

/** Whether somebody chose another agent than Claude Code. */
export function isAnotherSetUp(project: Project): boolean {
  return seeParts(project, "hooks").some(
    ({ part, found }) => part.owner !== defaultAgentName && found.state !== "absent",
  );
}
