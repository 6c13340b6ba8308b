import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { listProjects } from "../../answers/known-projects.ts";
import { withMemory } from "../../answers/open.ts";
import { loadConfig } from "../../base/config/config.ts";
import { PommelError } from "../../base/errors.ts";
import { inspectPlace, removeOwn } from "../../base/files/remove-own.ts";
import { makeProject, type Project } from "../../base/paths.ts";
import { chooseFreeId } from "../../git/projects/find-project.ts";
import { removeReady } from "../../protocol/ready-context.ts";
import { removeIndexCache } from "../../store/index/index-cache.ts";
import { listBackups, locateBackupFolder } from "../../store/memory/backups/copies.ts";
import { removeCopies, removeCopy } from "../../store/memory/backups/put-in-place.ts";
import { readMemoryCounts } from "../../store/memory/sessions/sessions.ts";
import { type KnownProject, Registry } from "../../store/registry.ts";
import { addToTrash, dropFromTrash, locateProjectFolder, type TrashEntry } from "../../store/trash/trash.ts";

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
      ? "Search in a repository first: that makes it a project."
      : `Choose from: ${roots.join(", ")}.`,
  );
}

/**
 * Takes projects off the list, and puts all that is remembered of them into the trash; their indexes go. No daemon may run.
 * Killed at any point, what is in the trash can be brought back.
 */
export function trashProjects(ids: readonly string[], command: string, what: string): TrashEntry {
  const registry = Registry.open();
  const projects = ids.flatMap((id) => {
    const known = registry.findProjectById(id);
    return known === null ? [] : [{ known, checkouts: registry.listCheckouts(id) }];
  });
  // Nothing is begun where one of them is a link, or another user's.
  for (const { known } of projects) inspectPlace(makeProject(known.id, "/").dataDir);
  const entry = addToTrash(command, what, { kind: "projects", projects });
  for (const { known } of projects) {
    removeIndexes(registry, known.id);
    moveWhole(makeProject(known.id, "/").dataDir, locateProjectFolder(entry, known.id));
    registry.removeProject(known.id);
  }
  return entry;
}

/** Deletes all that is remembered of a project for good, its backups and what is in the trash included. No daemon may run. */
export function deleteProject(project: Project): void {
  const registry = Registry.open();
  removeIndexes(registry, project.id);
  removeCopies(project.memoryDb);
  for (const { file } of listBackups(project.memoryDb, findBackupFolder(project))) removeCopy(file);
  registry.removeProject(project.id);
  removeOwn(project.dataDir);
}

function removeIndexes(registry: Registry, id: string): void {
  for (const { root } of registry.listCheckouts(id)) {
    removeReady(root);
    rmSync(makeProject(id, root).cacheDir, { recursive: true, force: true });
  }
  // Nobody knows what of it is this project's.
  removeIndexCache();
}

const findBackupFolder = (project: Project) =>
  locateBackupFolder(project.memoryDb, loadConfig(project).config["backup.folder"]);

/** Gives a directory of ours another place in the home, unless it is not there. */
function moveWhole(from: string, to: string): void {
  if (inspectPlace(from) === null) return;
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  renameSync(from, to);
}

/**
 * Brings projects back from the trash. Projects that have their places by now go into it.
 * @returns the entry of those
 */
export function bringBackProjects(entry: TrashEntry): TrashEntry | null {
  if (entry.taken.kind !== "projects") throw new Error("no projects are in it");
  const registry = Registry.open();
  const { projects } = entry.taken;
  const roots = new Set(projects.flatMap(({ checkouts }) => checkouts.map(({ root }) => root)));
  const isTaken = ({ id }: KnownProject) => {
    if (projects.some(({ known }) => known.id === id))
      return existsSync(makeProject(id, "/").dataDir) && existsSync(locateProjectFolder(entry, id));
    // One that has other checkouts as well keeps those.
    const now = registry.listCheckouts(id);
    return now.length > 0 && now.every(({ root }) => roots.has(root));
  };
  const inPlace = registry.listRegisteredProjects().filter(isTaken);
  const swapped =
    inPlace.length === 0
      ? null
      : trashProjects(
          inPlace.map(({ id }) => id),
          "pm memory undo",
          inPlace.map(({ name }) => name).join(", "),
        );
  for (const { known, checkouts } of projects) {
    moveWhole(locateProjectFolder(entry, known.id), makeProject(known.id, "/").dataDir);
    registry.saveProject(known);
    for (const checkout of checkouts) registry.saveCheckout(checkout);
  }
  dropFromTrash(entry);
  return swapped;
}

/**
 * Has a checkout share the memory of another project. Where it was the only checkout of its own, what that recorded is put
 * into the other's memory, and its own goes into the trash. No daemon may run.
 */
export async function joinProject(from: Project, into: Project): Promise<TrashEntry | null> {
  const registry = Registry.open();
  const checkout = registry.findCheckoutAt(from.root);
  if (checkout === null || from.id === into.id) {
    throw new PommelError("usage", `${from.root} shares the memory of ${into.id} already.`);
  }
  const isLast = registry.listCheckouts(from.id).length === 1;
  if (isLast && existsSync(from.memoryDb)) {
    const { copyMemory } = await import("../memory-file/memory-file.ts");
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

/** To be called before the registry's file is removed. */
export const closeRegistry = (): void => Registry.close();
