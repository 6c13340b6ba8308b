import { existsSync } from "node:fs";
import { changeMemory } from "../../answers/changing.ts";
import { listProjects } from "../../answers/known-projects.ts";
import { describeEntry } from "../../answers/trash-entry.ts";
import { bringBackProjects } from "../../answers/trash-projects.ts";
import { PommelError } from "../../base/errors.ts";
import { isInside, type Project } from "../../base/paths.ts";
import { chunkNotes } from "../../sessions/notes/chunk-notes.ts";
import { recutSessions } from "../../sessions/recut.ts";
import { emptyTrash } from "../../store/memory/backups/put-in-place.ts";
import { replaceMemory } from "../../store/memory/backups/restore.ts";
import { bringBackRows } from "../../store/memory/privacy/trashed-rows.ts";
import { dropFromTrash, listTrash, locateMemoryFile, type TrashEntry } from "../../store/trash/trash.ts";
import type { TrashEntry as ShownEntry } from "../forget/operation.ts";

/** What is in the trash, and bringing it back. */

const undoCommand = "pm memory undo";

export interface TrashAsked {
  /** Where it is asked: the project there, if there is one, and the directory. */
  project: string | null;
  cwd: string;
}

/** What can be brought back, the latest first, and whether it was taken from where it is asked. */
export function listTrashFor(asked: TrashAsked): (ShownEntry & { is_here: boolean })[] {
  emptyTrash();
  return listTrash().map((entry) => ({ ...describeEntry(entry), is_here: isHere(entry, asked) }));
}

function isHere({ taken }: TrashEntry, { project, cwd }: TrashAsked): boolean {
  if (taken.kind !== "projects") return taken.project === project;
  return taken.projects.some(
    ({ known, checkouts }) => known.id === project || checkouts.some(({ root }) => isInside(cwd, root)),
  );
}

/**
 * Brings back what a command took; what has its place by now goes into the trash. No daemon may run.
 * @returns what was brought back, and the entry of what was in its place
 * @throws PommelError `not_found`, as what brings it back
 */
export async function undo(number: number): Promise<{ undone: ShownEntry; replaced: ShownEntry | null }> {
  const all = listTrash();
  const entry = all.find((one) => one.number === number);
  if (!entry) {
    throw new PommelError("not_found", `Nothing in the trash has the number ${number}.`, listHint);
  }
  const shown = (one: TrashEntry | null | undefined) => (one ? describeEntry(one) : null);
  const undone = describeEntry(entry);
  if (entry.taken.kind === "projects") return { undone, replaced: shown(bringBackProjects(entry)) };
  const project = requireProject(entry.taken.project);
  if (entry.taken.kind === "rows") {
    await changeMemory(project, async (work) => {
      const only = bringBackRows(work.memory, entry);
      await recutSessions(work, { only });
      await chunkNotes(work);
    });
    return { undone, replaced: null };
  }
  replaceMemory(project.memoryDb, locateMemoryFile(entry), { command: undoCommand });
  dropFromTrash(entry);
  return { undone, replaced: shown(listTrash().find((one) => one.number > (all[0]?.number ?? 0))) };
}

const listHint = `\`${undoCommand} --list\` lists what can be brought back.`;

/** @throws PommelError `not_found` */
function requireProject(id: string): Project {
  const listed = listProjects().find((one) => one.id === id)?.project;
  if (listed && existsSync(listed.dataDir)) return listed;
  throw new PommelError(
    "not_found",
    `The project ${id}, from which it was removed, no longer exists.`,
    `Bring that back first: ${listHint}`,
  );
}
