import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { PommelError } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import { type GitHookName, gitHookNames } from "../../protocol/hooks.ts";
import { readHook } from "./hook-file.ts";
import { readRecord } from "./install-record.ts";
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
