import type { Retention } from "./agent.ts";
import { readClaudeRetention } from "./claude/retention.ts";
import { readGeminiRetention } from "./gemini/retention.ts";
import type { AgentName } from "./profiles.ts";

/** The clients that delete transcripts. Whoever only asks for that need not load what reads them. */
const readers: Partial<Record<AgentName, (root: string) => Retention | null>> = {
  claude: readClaudeRetention,
  gemini: readGeminiRetention,
};

/** How long an agent's client keeps the transcripts of a project; null: forever, or the agent is not known. */
export const findRetention = (agent: string, root: string): Retention | null =>
  Object.hasOwn(readers, agent) ? (readers[agent as AgentName]?.(root) ?? null) : null;
