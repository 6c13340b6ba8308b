import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Project } from "../../project/paths.ts";
import { gitHookNames } from "../../protocol/hooks.ts";
import { readHook, removeEmpty, removeHook, restoreHook, withHooksLock, writeHook } from "./hook-file.ts";
import { fromRoot, hooksPlace } from "./place.ts";
import { findBlock, keptByWrapper, stub, withoutBlock } from "./script.ts";
import { readRecord, writeRecord } from "./state.ts";

/** Suffixes that pre-commit and lefthook give to the hooks they replace. */
const hookSuffixes = ["", ".legacy", ".old"];

/**
 * Removes Pommel's block from all hooks, in the current directory and in earlier ones. Deletes hooks that Pommel
 * created, restores kept ones, and leaves all else. One failure does not stop the others.
 * @returns the changed hooks, relative to the project's root
 * @throws PommelError as `installGitHooks`
 */
export async function removeGitHooks(project: Project): Promise<string[]> {
  const place = await hooksPlace(project.root);
  const known = readRecord(project);
  const dirs = new Set(known.dirs.map((dir) => resolve(project.root, dir)));
  if (place.state === "found") dirs.add(place.dir);
  const within = place.state === "found" ? place.within : "";
  const changed: string[] = [];
  const failures: unknown[] = [];
  for (const dir of dirs) {
    if (!existsSync(dir)) continue;
    await withHooksLock(dir, false, () => {
      for (const hook of gitHookNames) {
        for (const suffix of hookSuffixes) {
          const path = join(dir, hook + suffix);
          const file = fromRoot(project, path);
          try {
            if (removeBlock(path, within, known.ended.includes(file))) changed.push(file);
          } catch (error) {
            failures.push(error);
          }
        }
      }
    });
  }
  if (failures.length > 0) {
    writeRecord(project, { ...known, disabled: true });
    throw failures[0];
  }
  for (const dir of known.created_dirs.toReversed()) removeEmpty(resolve(project.root, dir));
  writeRecord(project, { disabled: true, dirs: [], created_dirs: [], ended: [] });
  return changed;
}

function removeBlock(path: string, within: string, wasEnded: boolean): boolean {
  const before = readHook(path);
  if (before === null || before.isLink || before.text === null) return false;
  const found = findBlock(before.text, { within }, path);
  if (found === null) return false;
  const bare = withoutBlock(before.text, within, path);
  const kept = keptByWrapper(bare);
  if (bare === stub) {
    removeHook(path);
  } else if (kept !== null) {
    restoreHook(path, kept);
    // It was kept because it became non-executable after the block was added.
    removeBlock(path, within, wasEnded);
  } else {
    const isLast = found[1] === before.text.length;
    const text = wasEnded && isLast ? bare.replace(/\n$/, "") : bare;
    writeHook(path, text, before.stat.mode, before.stat);
  }
  return true;
}
