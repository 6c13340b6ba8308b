import type { Project } from "../base/paths.ts";

/** What may be typed, with what it is. */
export type Candidates = (readonly [value: string, about?: string | null])[];

type LoadCandidates = () => Promise<(project: Project) => Promise<Candidates>>;

/** What a project has that command lines name; `pm complete` lists it. */
export const completions: Readonly<Record<string, LoadCandidates>> = {
  agents: async () => (await import("./page/completion.ts")).listAgents,
  branches: async () => (await import("./page/completion.ts")).listBranches,
  checkpoints: async () => (await import("./checkpoints/completion.ts")).listCheckpointIds,
  events: async () => (await import("./events/completion.ts")).listEventIds,
  packages: async () => (await import("./packages/completion.ts")).listPackageNames,
  sessions: async () => (await import("./sessions/completion.ts")).listSessionIds,
};

/** The latest are those that somebody means. */
export const maxCompletedIds = 100;

/** A shell waits for it: no daemon is started. */
export const withoutStart = { without: "here" } as const;
