import { isForHooks, writeForHooks } from "../../answers/ready-for-hooks.ts";
import type { Project } from "../../base/paths.ts";
import { listProjectRoots } from "../../git/projects/roots.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { ReadyDeadEnds } from "./before-call.ts";
import { findTraced } from "./find-dead-ends.ts";
import { wordForAgent } from "./words.ts";

/** The latest, for hooks: they read all of them. */
const maxReady = 200;

export const areDeadEndsChecked = (project: Project): boolean => isForHooks(project, "dead_ends.check");

/** Writes the dead ends down for hooks; or removes them. */
export async function makeDeadEndsReady(project: Project, memory: Memory): Promise<void> {
  const isChecked = areDeadEndsChecked(project);
  const found = isChecked ? await findTraced(memory, await listProjectRoots(project.root)) : [];
  const ends = found.slice(0, maxReady).map((end) => ({
    id: end.id,
    text: wordForAgent(end),
    traces: end.traces,
    knownIn: end.knownIn,
  }));
  const makePart = (root: string): ReadyDeadEnds => ({ root, ends });
  writeForHooks("dead-ends", project, ends.length === 0 ? null : makePart);
}
