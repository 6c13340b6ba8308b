import type { Retention } from "./agent.ts";
import { readClaudeRetention } from "./claude/retention.ts";
import { readGeminiRetention } from "./gemini/retention.ts";
import type { AgentName } from "./profiles.ts";

type FindRetention = (root: string, env?: NodeJS.ProcessEnv) => Retention | null;

/**
 * Of the clients that delete transcripts, how long they keep them by their settings. Apart from the profiles, which each hook
 * loads, and from the adapters, which read transcripts.
 */
const retentions: Readonly<Partial<Record<string, FindRetention>>> = {
  claude: readClaudeRetention,
  gemini: readGeminiRetention,
} satisfies Partial<Record<AgentName, FindRetention>>;

/** Whether an agent's client can delete transcripts. */
export const deletesTranscripts = (agent: string): boolean => Object.hasOwn(retentions, agent);

/**
 * How long an agent's client keeps a project's transcripts; null: forever.
 * @param root of the project, whose settings count as well
 */
export function findRetention(agent: string, root: string, env?: NodeJS.ProcessEnv): Retention | null {
  return deletesTranscripts(agent) ? retentions[agent]!(root, env) : null;
}
