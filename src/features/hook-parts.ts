import type { Project } from "../base/paths.ts";
import type { ReadyPart } from "../protocol/ready-context.ts";
import type { CallDecision } from "../protocol/values.ts";
import type { Memory } from "../store/memory/memory.ts";

/** A call that an agent is about to make, or has made. */
export interface AgentCall {
  session: string;
  tool: string;
  input: Readonly<Record<string, unknown>>;
  /** Where the agent is. */
  cwd: string;
}

/** What is said about it. */
export interface SaidOfCall {
  /** A reminder: lines of context, each behind a dash. A decision: its reason, for the agent and the person. */
  text: string;
  /** null: it only reminds. */
  decision: CallDecision | null;
  /** What is said, as automatic context is recorded. */
  items: { ref: string; why: string }[];
}

/** A feature's part in hooks: it goes by what was made ready alone, and loads next to nothing. */
export interface HookPart {
  beforeCall(ready: ReadyPart, call: AgentCall): SaidOfCall | null;
  /** An agent has changed a file. */
  afterCall?(ready: ReadyPart, call: AgentCall): SaidOfCall | null;
  /** A prompt is about to be read. */
  onPrompt?(ready: ReadyPart, session: string, prompt: string): void;
  /** Places where a session is at the same as others; "": any session of the checkout. */
  countOverlaps?(ready: ReadyPart, session: string): number;
}

interface LoadPart {
  hook: () => Promise<HookPart>;
  /** Writes down what the part goes by; called when the memory, or the settings, have changed. */
  makeReady: () => Promise<(project: Project, memory: Memory) => void | Promise<void>>;
  /** It is also called as soon as a session or a file has changed. */
  followsWork?: true;
  /** What a repository may say of it, from the root: it is also called when this file has changed. */
  repositoryFile?: string;
  /** What turns it on; off by default. */
  setting: "rules.check" | "dead_ends.check" | "radar.warn";
  /** How `pm setup` offers it: a name, and what agents are told. */
  offer: { title: string; tells: string };
}

/** By feature. A hook loads a part only where there is something ready for it. */
export const hookParts: Readonly<Record<string, LoadPart>> = {
  rules: {
    hook: async () => (await import("./rules/before-call.ts")).rulesInHooks,
    setting: "rules.check",
    repositoryFile: ".pommel/rules.toml",
    offer: { title: "Rules", tells: "what you told agents not to do (pm rules)" },
    makeReady: async () => (await import("./rules/stored.ts")).makeRulesReady,
  },
  radar: {
    hook: async () => (await import("./radar/hooks.ts")).radarInHooks,
    makeReady: async () => (await import("./radar/ready.ts")).makeRadarReady,
    followsWork: true,
    setting: "radar.warn",
    offer: { title: "Radar", tells: "that another agent is changing the same function (pm radar)" },
  },
  "dead-ends": {
    hook: async () => (await import("./dead-ends/before-call.ts")).deadEndsInHooks,
    setting: "dead_ends.check",
    offer: { title: "Dead ends", tells: "what was tried before and failed (pm dead-ends)" },
    makeReady: async () => (await import("./dead-ends/ready.ts")).makeDeadEndsReady,
  },
};
