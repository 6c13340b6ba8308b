import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { inspectPlace } from "../base/files/remove-own.ts";
import { makeProject } from "../base/paths.ts";
import { removeReady } from "../protocol/ready-context.ts";
import { removeIndexCache } from "../store/index/index-cache.ts";
import type { KnownProject } from "../store/registry.ts";
import { Registry } from "../store/registry.ts";
import type { TrashEntry } from "../store/trash/trash.ts";
import { addToTrash, dropFromTrash, locateProjectFolder } from "../store/trash/trash.ts";

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

export function removeIndexes(registry: Registry, id: string): void {
  for (const { root } of registry.listCheckouts(id)) {
    removeReady(root);
    rmSync(makeProject(id, root).cacheDir, { recursive: true, force: true });
  }
  // Nobody knows what of it is this project's.
  removeIndexCache();
}

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

/** To be called before the registry's file is removed. */
export const closeRegistry = (): void => Registry.close();
