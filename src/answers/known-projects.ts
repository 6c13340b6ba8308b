import { existsSync } from "node:fs";
import { loadConfig } from "../base/config/config.ts";
import { isInside, makeProject, type Project } from "../base/paths.ts";
import { locateBackupFolder } from "../store/memory/backups/copies.ts";
import { type KnownProject, Registry } from "../store/registry.ts";

/** A project of this user's, with the directories that hold it. */
export interface ListedProject extends KnownProject {
  /** The project as seen from its most recently used checkout, if possible one that still exists. */
  project: Project;
  /** The last used first. */
  checkouts: { root: string; isGone: boolean; lastUsedAt: number }[];
  /** No checkout exists any more, but the memory does. */
  isGone: boolean;
}

/** Every known project, the last used first; none if the registry cannot be read. */
export function listProjects(): ListedProject[] {
  const registry = Registry.openIfThere();
  if (registry === null) return [];
  const all = registry.listCheckouts();
  return registry.listRegisteredProjects().map((known) => {
    const checkouts = all
      .filter(({ project }) => project === known.id)
      .map(({ root, lastUsedAt }) => ({ root, lastUsedAt, isGone: !existsSync(root) }));
    const shown = checkouts.find(({ isGone }) => !isGone) ?? checkouts[0];
    const project = makeProject(known.id, shown?.root ?? "");
    return { ...known, project, checkouts, isGone: shown?.isGone ?? true };
  });
}

/** The folders outside of the home in which projects have their backups. */
export function listBackupFolders(): string[] {
  const folders = listProjects().flatMap(({ project }) => {
    const chosen = loadConfig(project).config["backup.folder"];
    return chosen === "" ? [] : [locateBackupFolder(project.memoryDb, chosen)];
  });
  return [...new Set(folders)];
}

/** The projects in a directory ("" for any), those used last first. */
export function listProjectsBelow(dir: string): Project[] {
  const listed = listProjects().filter(
    ({ isGone, project }) => !isGone && (dir === "" || isInside(project.root, dir)),
  );
  return listed.map(({ project }) => project);
}
