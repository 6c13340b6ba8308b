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
 * Takes projects off the list, moves their memories into the trash, and deletes their indexes. No daemon may run. If the process
 * is killed at any point, what is in the trash can be brought back.
 */
export function trashProjects(ids: readonly string[], command: string, what: string): TrashEntry {
  const registry = Registry.open();
  const projects = ids.flatMap((id) => {
    const known = registry.findProjectById(id);
    return known === null ? [] : [{ known, checkouts: registry.listCheckouts(id) }];
  });
  // Check all before the first is moved: throws if one is a link, or belongs to another user.
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
  // The cache does not tell which of it belongs to this project.
  removeIndexCache();
}

/** Moves one of Pommel's directories within the home, if it exists. */
function moveWhole(from: string, to: string): void {
  if (inspectPlace(from) === null) return;
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  renameSync(from, to);
}

/**
 * Brings projects back from the trash. Projects that have since taken their ids or directories go into the trash.
 * @returns the trash entry of the latter; null if there are none
 */
export function bringBackProjects(entry: TrashEntry): TrashEntry | null {
  if (entry.taken.kind !== "projects") throw new Error("no projects are in it");
  const registry = Registry.open();
  const { projects } = entry.taken;
  const roots = new Set(projects.flatMap(({ checkouts }) => checkouts.map(({ root }) => root)));
  const isTaken = ({ id }: KnownProject) => {
    if (projects.some(({ known }) => known.id === id))
      return existsSync(makeProject(id, "/").dataDir) && existsSync(locateProjectFolder(entry, id));
    // A project that also has other checkouts keeps its place.
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

/** Call this before you remove the registry's file. */
export const closeRegistry = (): void => Registry.close();
