import { agentNames } from "../agents/profiles.ts";
import { PommelError } from "../base/errors.ts";
import type { Memory } from "../store/memory/memory.ts";
import { listSessionAgents } from "../store/memory/sessions/sessions.ts";

/** Valid agents: those that Pommel supports, and those in the memory. */
function listAgentNames(memory: Memory): string[] {
  return [...new Set([...agentNames, ...listSessionAgents(memory)])];
}

/**
 * The agent to limit an answer to, or null for all.
 * @throws PommelError `usage` for an unknown name
 */
export function resolveAgent(memory: Memory, name: string | undefined): string | null {
  if (name === undefined) return null;
  const known = listAgentNames(memory);
  if (known.includes(name)) return name;
  throw new PommelError("usage", `Unknown agent: ${name}.`, `Choose from: ${known.join(", ")}.`);
}

/** Whose sessions a request is about. true: colleagues'; false: one's own; null: everybody's. */
export const readSharedFilter = ({
  team,
  mine,
}: {
  team?: boolean | undefined;
  mine?: boolean | undefined;
}): boolean | null => (team ? true : mine ? false : null);
