import type { Agent } from "./agent.ts";
import { claude } from "./claude/claude.ts";

/** Every coding agent whose conversations can be remembered. */
export const agents: readonly Agent[] = [claude];

/** The agent of that name, as it is stored with a session; undefined when there is none. */
export function agentNamed(name: string): Agent | undefined {
  return agents.find((agent) => agent.name === name);
}
