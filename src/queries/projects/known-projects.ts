import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { freeId } from "../../git/projects/find-project.ts";
import { loadConfig } from "../../project/config/config.ts";
import { PommelError } from "../../project/errors.ts";
import { isInside, type Project, projectOf } from "../../project/paths.ts";
import { removeIndexCache } from "../../store/index/index-cache.ts";
import { backupFolder } from "../../store/memory/backups/copies.ts";
import { memoryCounts } from "../../store/memory/sessions/sessions.ts";
import { type KnownProject, Registry } from "../../store/registry.ts";
import { withMemory } from "../open.ts";

/** A project of this user's, with the directories that hold it. */
export interface ListedProject extends KnownProject {
  /** As seen from the checkout that was used last of those that are there, else of all. */
  project: Project;
  /** The last used first. */
  checkouts: { root: string; isGone: boolean; lastUsedAt: number }[];
  /** No checkout is there any more. Its memory is. */
  isGone: boolean;
}

/** Every known project, the last used first; none if the registry cannot be read. */
export function listProjects(): ListedProject[] {
  const registry = Registry.openIfThere();
  if (registry === null) return [];
  const all = registry.checkouts();
  return registry.projects().map((known) => {
    const checkouts = all
      .filter(({ project }) => project === known.id)
      .map(({ root, lastUsedAt }) => ({ root, lastUsedAt, isGone: !existsSync(root) }));
    const shown = checkouts.find(({ isGone }) => !isGone) ?? checkouts[0];
    const project = projectOf(known.id, shown?.root ?? "");
    return { ...known, project, checkouts, isGone: shown?.isGone ?? true };
  });
}

/** The folders outside of the home in which projects have their backups. */
export function backupFolders(): string[] {
  const folders = listProjects().flatMap(({ project }) => {
    const chosen = loadConfig(project).config["backup.folder"];
    return chosen === "" ? [] : [backupFolder(project.memoryDb, chosen)];
  });
  return [...new Set(folders)];
}

/** How much a project remembers; null where its memory is missing or cannot be read. */
export async function memorySize(
  project: Project,
): Promise<{ sessions: number | null; turns: number | null }> {
  try {
    const { sessions, turns } = await withMemory(project, memoryCounts);
    return { sessions, turns };
  } catch {
    return { sessions: null, turns: null };
  }
}

/**
 * A known project by one of its directories (from `cwd`), its id, or a name that only one has.
 * @throws PommelError `usage`
 */
export function projectCalled(name: string, cwd: string): Project {
  const known = listProjects();
  const path = resolve(cwd, name);
  for (const { id, project, checkouts } of known) {
    if (id === name) return project;
    const checkout = checkouts.find(({ root }) => root === path);
    if (checkout) return projectOf(id, checkout.root);
  }
  const found = known.filter((listed) => listed.name === name);
  const [first, ...others] = found;
  if (first && others.length === 0) return first.project;
  const roots = (first ? found : known).slice(0, 10).map(({ project }) => project.root);
  throw new PommelError(
    "usage",
    first ? `${found.length} projects are called ${name}.` : `There is no project ${name} on this machine.`,
    roots.length === 0
      ? "Search in a directory first: that makes it a project."
      : `Choose from: ${roots.join(", ")}.`,
  );
}

/** Deletes all that is remembered of a project, and its indexes. No daemon may run. */
export function forgetProject(project: Project): void {
  const registry = Registry.open();
  for (const { root } of registry.checkouts(project.id))
    rmSync(projectOf(project.id, root).cacheDir, { recursive: true, force: true });
  // Nobody knows what of it is this project's.
  removeIndexCache();
  const { "backup.folder": chosen } = loadConfig(project).config;
  rmSync(backupFolder(project.memoryDb, chosen), { recursive: true, force: true });
  registry.removeProject(project.id);
  rmSync(project.dataDir, { recursive: true, force: true });
}

/**
 * Has a checkout share the memory of another project. Where it was the only checkout of its own, what that recorded is put
 * into the other's memory. No daemon may run.
 */
export async function joinProject(from: Project, into: Project): Promise<void> {
  const registry = Registry.open();
  const checkout = registry.checkout(from.root);
  if (checkout === null || from.id === into.id) {
    throw new PommelError("usage", `${from.root} shares the memory of ${into.id} already.`);
  }
  const isLast = registry.checkouts(from.id).length === 1;
  if (isLast && existsSync(from.memoryDb)) {
    const { copyMemory } = await import("../sync/memory-file.ts");
    await copyMemory(from, into);
  }
  const [mine, theirs] = [registry.project(from.id)!, registry.project(into.id)!];
  registry.inTransaction(() => {
    registry.saveCheckout({ ...checkout, project: into.id });
    registry.saveProject({
      ...theirs,
      roots: [...new Set([...theirs.roots, ...mine.roots])],
      remotes: [...new Set([...theirs.remotes, ...mine.remotes])],
    });
    if (isLast) registry.removeProject(from.id);
  });
  if (isLast) rmSync(from.dataDir, { recursive: true, force: true });
}

/** Makes a checkout a project of its own, with nothing recorded yet. @returns its id */
export function splitCheckout({ id, root }: Project): string {
  const registry = Registry.open();
  const checkout = registry.checkout(root);
  const known = registry.project(id);
  if (checkout === null || known === null || registry.checkouts(id).length < 2) {
    throw new PommelError(
      "usage",
      `${root} is the only checkout of its project.`,
      "`pm projects` lists them.",
    );
  }
  const own = freeId(root, registry);
  const now = Date.now();
  registry.inTransaction(() => {
    // Its first commits and remotes would join it to the other again.
    registry.saveProject({ ...known, id: own, roots: [], remotes: [], createdAt: now, lastUsedAt: now });
    registry.saveCheckout({ ...checkout, project: own, notice: null });
  });
  return own;
}

/** The projects in a directory ("" for any), those used last first. */
export function projectsBelow(dir: string): Project[] {
  const listed = listProjects().filter(
    ({ isGone, project }) => !isGone && (dir === "" || isInside(project.root, dir)),
  );
  return listed.map(({ project }) => project);
}

/** To be called before the registry's file is removed. */
export const closeRegistry = (): void => Registry.close();
