import type { Speaker } from "../protocol/origin.ts";
import { isValidAs } from "../protocol/outside.ts";
import type { AgentProfile } from "./agent.ts";
import { claudeProfile } from "./claude/profile.ts";
import { clineProfile } from "./cline/profile.ts";
import { codexProfile } from "./codex/profile.ts";
import { copilotProfile } from "./copilot/profile.ts";
import { cursorProfile } from "./cursor/profile.ts";
import { geminiProfile } from "./gemini/profile.ts";
import { opencodeProfile } from "./opencode/profile.ts";
import { qwenProfile } from "./qwen/profile.ts";

/** It has neither hooks nor tools, so there is nothing to set up. */
export const aiderProfile = { name: "aider", title: "Aider", environment: [] } satisfies AgentProfile;

/** No agent of its own: files that any tool can write, imported on request. */
export const atifProfile = {
  name: "atif",
  title: "ATIF",
  environment: [],
  isForeign: true,
} satisfies AgentProfile;

/**
 * The agents' profiles, without the adapters in `registry.ts`: enough for hooks, help texts and the start of a daemon.
 * Add an agent in both; the compiler reports a missing one.
 */
export const profiles = {
  claude: claudeProfile,
  codex: codexProfile,
  gemini: geminiProfile,
  opencode: opencodeProfile,
  qwen: qwenProfile,
  copilot: copilotProfile,
  cline: clineProfile,
  aider: aiderProfile,
  cursor: cursorProfile,
  atif: atifProfile,
} satisfies Record<string, AgentProfile>;

export type AgentName = keyof typeof profiles;

export const agentNames = Object.keys(profiles) as AgentName[];

/** Those that Pommel can be set up in; the others only leave files to import. */
export const setupNames = agentNames.filter((name) => findProfile(name)?.hooks !== undefined);

/** Those that can be started with a first prompt. */
export const startableNames = agentNames.filter((name) => findProfile(name)?.startWith !== undefined);

/** The agent when none is named. */
export const defaultAgentName: AgentName = "claude";

/** The profile of the agent of that name; undefined when there is none. */
export function findProfile(name: string): AgentProfile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name as AgentName] : undefined;
}

const allProfiles: readonly AgentProfile[] = Object.values(profiles);

/**
 * The program and arguments that go on with a session.
 * @returns null where its agent has none, for a subagent's session, and for what is no session's id
 */
export function resumeProgram(agent: string, id: string): readonly [string, ...string[]] | null {
  if (!isValidAs("session", id) || id.includes("/")) return null;
  return findProfile(agent)?.resumeWith?.(id) ?? null;
}

/** The session that this process runs in, where its agent names it to what it runs; null elsewhere. */
export function findCurrentSession(env: NodeJS.ProcessEnv = process.env): string | null {
  const named = allProfiles.map(({ sessionVariable }) => sessionVariable && env[sessionVariable]);
  return named.find((session) => session) ?? null;
}

/** The session that calls an MCP server, where its client names it in the call's `_meta`. */
export function readCallingSession(meta: Readonly<Record<string, unknown>> = {}): string | null {
  const named = allProfiles.map(({ sessionInCalls }) => sessionInCalls && meta[sessionInCalls]);
  return named.find((one): one is string => typeof one === "string" && isValidAs("session", one)) ?? null;
}

/** Whose words a command that this process runs are: an agent's in an agent's shell, a tool's without a terminal. */
export function detectSpeaker(env: NodeJS.ProcessEnv = process.env, hasTerminal = isInTerminal()): Speaker {
  const isSet = (name: string | undefined) => name !== undefined && (env[name] ?? "") !== "";
  const isAgents = allProfiles.some(({ shellVariables = [], sessionVariable }) =>
    [...shellVariables, sessionVariable].some(isSet),
  );
  if (isAgents) return "agent";
  return hasTerminal ? "person" : "tool";
}

const isInTerminal = () => process.stdin.isTTY === true || process.stdout.isTTY === true;

/** Variables in which what an agent runs finds where it was launched. */
export const launchVariables = allProfiles.flatMap(({ hooks }) => hooks?.launchedIn ?? []);

/** "`pm import claude` (codex, gemini)" */
export const importCommand = `\`pm import ${defaultAgentName}\` (${setupNames.filter((name) => name !== defaultAgentName).join(", ")})`;
