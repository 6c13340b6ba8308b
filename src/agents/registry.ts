import { statSync } from "node:fs";
import { findKeptFile } from "../store/vault/vault.ts";
import type { Agent, TranscriptFile, TranscriptInfo } from "./agent.ts";
import { aider } from "./aider/aider.ts";
import { atif } from "./atif/atif.ts";
import { claude } from "./claude/claude.ts";
import { cline } from "./cline/cline.ts";
import { codex } from "./codex/codex.ts";
import { copilot } from "./copilot/copilot.ts";
import { cursor } from "./cursor/cursor.ts";
import { gemini } from "./gemini/gemini.ts";
import { opencode } from "./opencode/opencode.ts";
import { type AgentName, defaultAgentName } from "./profiles.ts";
import { qwen } from "./qwen/qwen.ts";
import { wrapWithChecks } from "./reading/checked.ts";
import type { AgentSetup } from "./setup.ts";
import { wrapWithVault } from "./vaulted.ts";

const byName = {
  claude,
  codex,
  gemini,
  opencode,
  qwen,
  copilot,
  cline,
  aider,
  cursor,
  atif,
} satisfies Record<AgentName, Agent>;

/** Every supported coding agent; what they read is checked, and comes from the vault where its client has deleted it. */
export const agents: readonly Agent[] = Object.values(byName).map((agent) =>
  wrapWithVault(wrapWithChecks(agent)),
);

/** The agent when none is named. */
export const defaultAgent: Agent = agents.find(({ name }) => name === defaultAgentName)!;

/** Every agent that Pommel can be set up for. */
export const setups: readonly AgentSetup[] = agents.flatMap(({ setup }) => setup ?? []);

/** The agent of this name, as stored with sessions; undefined when unknown. */
export function findAgentByName(name: string): Agent | undefined {
  return agents.find((agent) => agent.name === name);
}

/** Where an agent keeps transcripts on this machine, and in repositories or worktrees with these roots. */
export function listTranscriptPlaces(
  agent: Agent,
  roots: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): string[] {
  return [...agent.listRoots(env), ...roots.flatMap((root) => agent.listRepositoryPlaces?.(root) ?? [])];
}

/**
 * A transcript's size and last change, at its own place or else in the vault.
 * @returns null when it is in neither
 * @throws system errors other than ENOENT (EACCES) unchanged
 */
export function statTranscript(path: string): TranscriptFile | null {
  const inDatabase = agents.find((agent) => agent.database !== undefined && agent.isTranscript(path));
  if (inDatabase) return inDatabase.database!.stat(path);
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? { path, size: stats.size, mtimeMs: stats.mtimeMs } : findKeptFile(path);
}

/**
 * A file's agent and identity.
 * @returns null when no agent recognises it (yet)
 */
export async function recognise(path: string): Promise<{ agent: Agent; info: TranscriptInfo } | null> {
  for (const agent of agents) {
    const info = agent.isTranscript(path) ? await agent.describe(path).catch(() => null) : null;
    if (info !== null) return { agent, info };
  }
  return null;
}
