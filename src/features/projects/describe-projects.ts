import { listProjects } from "../../answers/known-projects.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { readMemorySize } from "./known-projects.ts";
import type { projectsResponse } from "./operation.ts";

/** Every project of this person with its checkouts and what it remembers, the last used first. */
export async function describeProjects(): Promise<Shaped<typeof projectsResponse>> {
  const projects = await Promise.all(
    listProjects().map(async (known) => ({
      id: known.id,
      name: known.name,
      root: known.project.root,
      remote: known.remotes[0] ?? null,
      is_named: known.isNamed,
      is_off: known.isOff,
      is_gone: known.isGone,
      checkouts: known.checkouts.map(({ root, isGone, lastUsedAt }) => ({
        root,
        is_gone: isGone,
        last_used_at: new Date(lastUsedAt).toISOString(),
      })),
      ...(await readMemorySize(known.project)),
      first_used_at: new Date(known.createdAt).toISOString(),
      last_used_at: new Date(known.lastUsedAt).toISOString(),
    })),
  );
  const sum = (of: (project: (typeof projects)[number]) => number | null) =>
    projects.reduce((total, project) => total + (of(project) ?? 0), 0);
  return {
    projects,
    totals: {
      projects: projects.length,
      checkouts: sum(({ checkouts }) => checkouts.length),
      sessions: sum(({ sessions }) => sessions),
      turns: sum(({ turns }) => turns),
    },
  };
}
