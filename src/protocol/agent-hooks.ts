import { type HookName, hookOfEvent } from "./hook-names.ts";

/** The agents whose hooks run `pm hook`: `pm hook --agent codex stop`; without a name it is Claude Code's. */
export const hookAgents = ["claude", "codex", "gemini"] as const;
export type HookAgent = (typeof hookAgents)[number];

/** Gemini CLI's own words; Codex has Claude Code's. */
const hookOfGeminis: Readonly<Record<string, HookName>> = {
  PreCompress: "pre-compact",
  BeforeAgent: "user-prompt",
  SessionStart: "session-start",
  AfterAgent: "stop",
  AfterTool: "post-tool-use",
  SessionEnd: "session-end",
};

export function isHookAgent(name: string): name is HookAgent {
  return hookAgents.some((agent) => agent === name);
}

/** The hook of one of an agent's events; null for those that nobody listens to. */
export function hookOfAgentsEvent(agent: HookAgent, event: unknown): HookName | null {
  if (agent !== "gemini") return hookOfEvent(event);
  return typeof event === "string" && Object.hasOwn(hookOfGeminis, event) ? hookOfGeminis[event]! : null;
}
