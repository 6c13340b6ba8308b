import { existsSync } from "node:fs";
import { withMemory } from "../../answers/open.ts";
import type { Project } from "../../base/paths.ts";
import { listProjectRoots } from "../../git/projects/roots.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { ChangedThing } from "../../store/memory/sharing.ts";
import { listThingsToExport } from "../../sync/export-files.ts";
import { isSharing } from "../../sync/sync.ts";

/** How many things are new since the memory was shared last, by kind. */
export type NotShared = Partial<Record<ChangedThing["kind"], number>>;

/**
 * @returns null where sharing is not in use
 * @throws PommelError where the memory cannot be read
 */
export function countNotShared(project: Project): Promise<NotShared | null> {
  if (!existsSync(project.memoryDb)) return Promise.resolve(null);
  return withMemory(project, (memory) => countNotSharedIn(project, memory));
}

async function countNotSharedIn({ root }: Project, memory: Memory): Promise<NotShared | null> {
  if (!isSharing(memory)) return null;
  const worktrees = (await listProjectRoots(root)).filter((each) => each !== root);
  const { things } = listThingsToExport({ work: { memory, root, worktrees } }, { everything: false });
  const uids = new Map<ChangedThing["kind"], Set<string>>();
  for (const { kind, uid } of things) uids.set(kind, (uids.get(kind) ?? new Set()).add(uid));
  return Object.fromEntries([...uids].map(([kind, of]) => [kind, of.size]));
}
