import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { listProjects } from "../../answers/known-projects.ts";
import { withMemory } from "../../answers/open.ts";
import { deleteBackups } from "../../answers/project-backups.ts";
import { removeIndexes, trashProjects } from "../../answers/trash-projects.ts";
import { PommelError } from "../../base/errors.ts";
import { removeOwn } from "../../base/files/remove-own.ts";
import { makeProject, type Project } from "../../base/paths.ts";
import { chooseFreeId } from "../../git/projects/find-project.ts";
import { readMemoryCounts } from "../../store/memory/sessions/sessions.ts";
import { Registry } from "../../store/registry.ts";
import type { TrashEntry } from "../../store/trash/trash.ts";

/** How much a project remembers; null where its memory is missing or cannot be read. */
export async function readMemorySize(
  project: Project,
): Promise<{ sessions: number | null; turns: number | null }> {
  try {
    const { sessions, turns } = await withMemory(project, readMemoryCounts);
    return { sessions, turns };
  } catch {
    return { sessions: null, turns: null };
  }
}

/**
 * A known project by one of its directories (from `cwd`), its id, or a name that only one has.
 * @throws PommelError `usage`
 */
export function findProjectByName(name: string, cwd: string): Project {
  const known = listProjects();
  const path = resolve(cwd, name);
  for (const { id, project, checkouts } of known) {
    if (id === name) return project;
    const checkout = checkouts.find(({ root }) => root === path);
    if (checkout) return makeProject(id, checkout.root);
  }
  const found = known.filter((listed) => listed.name === name);
  const [first, ...others] = found;
  if (first && others.length === 0) return first.project;
  const roots = (first ? found : known).slice(0, 10).map(({ project }) => project.root);
  throw new PommelError(
    "usage",
    first ? `${found.length} projects are called ${name}.` : `There is no project ${name} on this machine.`,
    roots.length === 0
      ? "Search in a repository first; that makes it a project."
      : `Choose from: ${roots.join(", ")}.`,
  );
}

/** Deletes all that is remembered of a project for good, its backups and what is in the trash included. No daemon may run. */
export function deleteProject(project: Project): void {
  const registry = Registry.open();
  removeIndexes(registry, project.id);
  deleteBackups(project);
  registry.removeProject(project.id);
  removeOwn(project.dataDir);
}

/**
 * Has a checkout share the memory of another project. Where it was the only checkout of its own, what that recorded is put
 * into the other's memory, and its own goes into the trash. No daemon may run.
 */
export async function joinProject(from: Project, into: Project): Promise<TrashEntry | null> {
  const registry = Registry.open();
  const checkout = registry.findCheckoutAt(from.root);
  if (checkout === null || from.id === into.id) {
    throw new PommelError("usage", `${from.root} already shares the memory of ${into.id}.`);
  }
  const isLast = registry.listCheckouts(from.id).length === 1;
  if (isLast && existsSync(from.memoryDb)) {
    const { copyMemory } = await import("../../answers/memory-file.ts");
    await copyMemory(from, into);
  }
  const [mine, theirs] = [registry.findProjectById(from.id)!, registry.findProjectById(into.id)!];
  const entry = isLast ? trashProjects([from.id], "pm projects join", mine.name) : null;
  registry.runInTransaction(() => {
    registry.saveCheckout({ ...checkout, project: into.id });
    registry.saveProject({
      ...theirs,
      roots: [...new Set([...theirs.roots, ...mine.roots])],
      remotes: [...new Set([...theirs.remotes, ...mine.remotes])],
    });
  });
  return entry;
}

/** Makes a checkout a project of its own, with nothing recorded yet. @returns its id */
export function splitCheckout({ id, root }: Project): string {
  const registry = Registry.open();
  const checkout = registry.findCheckoutAt(root);
  const known = registry.findProjectById(id);
  if (checkout === null || known === null || registry.listCheckouts(id).length < 2) {
    throw new PommelError(
      "usage",
      `${root} is the only checkout of its project.`,
      "`pm projects` lists them.",
    );
  }
  const own = chooseFreeId(root, registry);
  const now = Date.now();
  registry.runInTransaction(() => {
    // Its first commits and remotes would join it to the other again.
    registry.saveProject({ ...known, id: own, roots: [], remotes: [], createdAt: now, lastUsedAt: now });
    registry.saveCheckout({ ...checkout, project: own, notice: null });
  });
  return own;
}
