import { lstatSync, renameSync, rmSync, type Stats } from "node:fs";
import { PommelError } from "../errors.ts";
import { makeDraftPath } from "./replace-file.ts";

/** What tells a file or directory from whatever has its name later. */
export interface SeenPlace {
  path: string;
  dev: number;
  ino: number;
}

/**
 * Looks at what is to be deleted later; null where nothing is.
 * @throws PommelError `unreadable` for a link, and for what is another user's
 */
export function inspectPlace(path: string): SeenPlace | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  const problem = findOwnershipProblem(stat);
  if (problem !== null) throw makeNotRemovedError(path, problem);
  return { path, dev: stat.dev, ino: stat.ino };
}

function findOwnershipProblem(stat: Stats): string | null {
  if (stat.isSymbolicLink()) return "it is a link";
  const us = process.getuid?.();
  return us === undefined || stat.uid === us ? null : `it belongs to another user (uid ${stat.uid})`;
}

/**
 * Deletes what was seen, with all that is in it, through no link. It gets a name of this process first, so that nobody can put
 * something else in its place between the last look and the deletion; what a killed process leaves goes as a dead draft.
 * @throws PommelError `unreadable` where something else is there by now, as `inspectPlace`
 */
export function removeOwn(path: string, seen: SeenPlace | null = inspectPlace(path)): void {
  if (seen === null) return;
  const doomed = makeDraftPath(path);
  rmSync(doomed, { recursive: true, force: true });
  try {
    renameSync(path, doomed);
  } catch (error) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
    throw error;
  }
  const moved = lstatSync(doomed);
  if (moved.dev !== seen.dev || moved.ino !== seen.ino) {
    renameSync(doomed, path);
    throw makeNotRemovedError(path, "something else is in its place by now");
  }
  rmSync(doomed, { recursive: true, force: true });
}

const makeNotRemovedError = (path: string, why: string) =>
  new PommelError("unreadable", `${path} was not removed: ${why}.`, "Look at it, and remove it yourself.");
