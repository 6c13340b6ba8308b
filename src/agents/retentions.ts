import type { Retention } from "./agent.ts";
import { readClaudeRetention } from "./claude/retention.ts";
import { readGeminiRetention } from "./gemini/retention.ts";
import type { AgentName } from "./profiles.ts";

/**
 * How long each client keeps a project's transcripts, by its settings; null: forever. Absent if the client never deletes any. Apart
 * from the profiles, which each hook loads, and from the adapters, which read transcripts.
 */
export const retentions: Readonly<
  Partial<Record<AgentName, (root: string, env?: NodeJS.ProcessEnv) => Retention | null>>
> = {
  claude: readClaudeRetention,
  gemini: readGeminiRetention,
};
