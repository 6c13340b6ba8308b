import { setTimeout as sleep } from "node:timers/promises";
import type { Agent } from "../../../agents/agent.ts";
import { agents } from "../../../agents/registry.ts";
import { call } from "../../../client/call.ts";
import { findProjectIfAny } from "../../../git/projects/find-project.ts";
import { recordingConfig } from "../../../git/projects/recorded.ts";
import type { Project } from "../../../project/paths.ts";
import { createProgress } from "../../terminal/progress.ts";
import { queueTranscripts } from "../import/import-transcripts.ts";

/** Past sessions of all projects on this machine. */
export interface PastSessions {
  projects: { project: Project; transcripts: { agent: Agent; path: string }[] }[];
  sessions: number;
  bytes: number;
  /** Of directories that are gone, or that are not recorded. */
  left: number;
}

/** How many transcripts are looked into at once. */
const atOnce = 16;

/** Looks into the beginning of each transcript on this machine. */
export async function findAllSessions(isWanted: (project: Project) => boolean): Promise<PastSessions> {
  const byProject = new Map<string, PastSessions["projects"][number]>();
  const known = new Map<string, Promise<Project | null>>();
  const found = { sessions: 0, bytes: 0, left: 0 };
  const add = async (agent: Agent, { path, size }: { path: string; size: number }) => {
    const info = await agent.describe(path).catch(() => null);
    if (info === null) return;
    if (!known.has(info.cwd))
      known.set(
        info.cwd,
        findProjectIfAny(info.cwd).catch(() => null),
      );
    const project = await known.get(info.cwd)!;
    if (project === null || !isWanted(project)) {
      if (info.parent === null) found.left++;
      return;
    }
    const of = byProject.get(project.id) ?? { project, transcripts: [] };
    byProject.set(project.id, of);
    of.transcripts.push({ agent, path });
    if (info.parent === null) found.sessions++;
    found.bytes += size;
  };
  for (const agent of agents) {
    for (const root of agent.roots()) {
      let batch: Promise<void>[] = [];
      for await (const file of agent.list(root)) {
        batch.push(add(agent, file));
        if (batch.length === atOnce) await Promise.all(batch);
        if (batch.length === atOnce) batch = [];
      }
      await Promise.all(batch);
    }
  }
  return { projects: [...byProject.values()], ...found };
}

/** Whether a project's sessions are recorded, once `record` is set. */
export const isRecordedBy =
  (record: "all" | "named") =>
  (project: Project): boolean =>
    record === "all" || recordingConfig(project).config["sessions.capture"];

/** Has the daemon read them in the background. */
export async function askToImport({ projects }: PastSessions): Promise<void> {
  for (const { project, transcripts } of projects) {
    for (const agent of new Set(transcripts.map((one) => one.agent))) {
      const paths = transcripts.filter((one) => one.agent === agent).map(({ path }) => path);
      await queueTranscripts(project, agent, paths);
    }
  }
}

/** Who set Pommel up waits no longer; the daemon goes on. Milliseconds. */
const watchedFor = 45_000;

/** Shows how far the daemon is. @returns how many transcripts are left to read */
export async function watchImport(total: number): Promise<number> {
  const progress = createProgress({ label: "Importing", unit: "transcripts" });
  const deadline = performance.now() + watchedFor;
  try {
    for (;;) {
      const { importing } = await call("daemon", {}, null, { without: "fail" });
      if (importing === 0 || performance.now() > deadline) return importing;
      progress.update(Math.max(0, total - importing), total);
      await sleep(200);
    }
  } finally {
    progress.finish();
  }
}
