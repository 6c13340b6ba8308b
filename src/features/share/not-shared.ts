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

const words: Record<ChangedThing["kind"], [one: string, several: string]> = {
  session: ["session", "sessions"],
  annotation: ["note", "notes"],
  checkpoint: ["checkpoint", "checkpoints"],
  attribution: ["commit's lines", "commits' lines"],
  event: ["event", "events"],
};

/** "2 sessions and 3 checkpoints are not shared yet."; null where all is. */
export function formatNotShared(counts: NotShared): string | null {
  const parts = (Object.keys(words) as ChangedThing["kind"][]).flatMap((kind) => {
    const n = counts[kind] ?? 0;
    return n === 0 ? [] : [{ n, text: `${n.toLocaleString("en")} ${words[kind][n === 1 ? 0 : 1]}` }];
  });
  if (parts.length === 0) return null;
  const list = new Intl.ListFormat("en").format(parts.map(({ text }) => text));
  const isOne = parts.length === 1 && parts[0]!.n === 1;
  return `${list} ${isOne ? "is" : "are"} not shared yet.`;
}
