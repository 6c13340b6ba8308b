import type { Agent, TranscriptInfo } from "./agent.ts";
import { claude } from "./claude/claude.ts";
import { codex } from "./codex/codex.ts";
import { gemini } from "./gemini/gemini.ts";
import { type AgentName, defaultAgentName } from "./profiles.ts";
import type { AgentSetup } from "./setup.ts";

const byName = { claude, codex, gemini } satisfies Record<AgentName, Agent>;

/** Every coding agent whose conversations can be remembered. */
export const agents: readonly Agent[] = Object.values(byName);

/** Who is meant where nobody names an agent. */
export const defaultAgent: Agent = byName[defaultAgentName];

/** Every agent that can be told of Pommel. */
export const setups: readonly AgentSetup[] = agents.flatMap(({ setup }) => setup ?? []);

/** The agent of that name, as it is stored with a session; undefined when there is none. */
export function agentNamed(name: string): Agent | undefined {
  return agents.find((agent) => agent.name === name);
}

/**
 * Whose transcript a file is, and what it says of itself.
 * @returns null when no agent knows it for its own (yet)
 */
export async function recognise(path: string): Promise<{ agent: Agent; info: TranscriptInfo } | null> {
  for (const agent of agents) {
    const info = agent.isTranscript(path) ? await agent.describe(path).catch(() => null) : null;
    if (info !== null) return { agent, info };
  }
  return null;
}
