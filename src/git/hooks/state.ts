import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod/mini";
import { PommelError } from "../../project/errors.ts";
import { writeJson } from "../../project/files/replace-file.ts";
import type { Project } from "../../project/paths.ts";
import { type GitHookName, gitHookNames } from "../../protocol/git-hook-names.ts";
import { readHook } from "./hook-file.ts";
import { type FoundPlace, fromRoot, hooksPlace } from "./place.ts";
import { findBlock } from "./script.ts";

/** Whether git tells us of this project's commits. */
export interface GitHooksState {
  /** `partial`: some are missing. `none`, `shared`: there is no place for them; `reason` says why. */
  state: "installed" | "partial" | "absent" | "none" | "shared";
  /** Where they are or belong, from the project's root where that is shorter. */
  dir: string | null;
  missing: GitHookName[];
  reason: string | null;
  /** Directories where they were installed, and where git no longer looks for them (core.hooksPath). */
  shadowed: string[];
  /** Somebody took them out with `pm disable`. */
  disabled: boolean;
}

export async function gitHooksState(project: Project): Promise<GitHooksState> {
  const place = await hooksPlace(project.root);
  const { disabled, dirs } = readRecord(project);
  const here = place.dir === null ? null : fromRoot(project, place.dir);
  const shadowed = dirs.filter((dir) => dir !== here && existsSync(resolve(project.root, dir)));
  if (place.state !== "found") {
    return { state: place.state, dir: here, missing: [], reason: place.reason, shadowed, disabled };
  }
  const missing = gitHookNames.filter((hook) => !isInstalled(place, hook));
  const state =
    missing.length === 0 ? "installed" : missing.length < gitHookNames.length ? "partial" : "absent";
  return { state, dir: here, missing, reason: null, shadowed, disabled };
}

/** pre-commit runs the hook that it took the place of. */
function isInstalled({ dir, within, runner }: FoundPlace, hook: GitHookName): boolean {
  return [hook, `${hook}.legacy`].some((name) => {
    const path = join(dir, name);
    try {
      const file = readHook(path);
      if (file === null || file.text === null || (runner === "git" && !file.isExecutable)) return false;
      return findBlock(file.text, { within }, path) !== null;
    } catch (error) {
      if (error instanceof PommelError) return false;
      throw error;
    }
  });
}

/**
 * `.pommel/git-hooks.json`: where hooks of git were installed. What a hook was before can be told from the hook itself,
 * with the few exceptions that are here.
 */
const record = z.object({
  /** Somebody said `pm disable`: `pm init` leaves it at that. */
  disabled: z.boolean(),
  /** The directories whose hooks were changed, from the project's root, with slashes. */
  dirs: z.array(z.string()),
  /** Those that did not exist, as `dirs`; a parent comes before what is in it. */
  created_dirs: z.array(z.string()),
  /** The hooks, as `dirs`, whose last line had no end, and got one so that ours could follow. */
  ended: z.array(z.string()),
});
export type GitHooksRecord = z.infer<typeof record>;

const fileOf = (project: Project) => join(project.stateDir, "git-hooks.json");

/** What the record says; that nothing is known, when there is none or it makes no sense. */
export function readRecord(project: Project): GitHooksRecord {
  try {
    return z.parse(record, JSON.parse(readFileSync(fileOf(project), "utf8")));
  } catch {
    return { disabled: false, dirs: [], created_dirs: [], ended: [] };
  }
}

/** Nothing to remember is no file. */
export function writeRecord(project: Project, next: GitHooksRecord): void {
  const file = fileOf(project);
  if (!next.disabled && next.dirs.length === 0) {
    rmSync(file, { force: true });
    return;
  }
  writeJson(file, next);
}
