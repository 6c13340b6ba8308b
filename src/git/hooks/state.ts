import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod/mini";
import { PommelError } from "../../base/errors.ts";
import { writeJson } from "../../base/files/replace-file.ts";
import { makeDirectory } from "../../base/home.ts";
import type { Project } from "../../base/paths.ts";
import { type GitHookName, gitHookNames } from "../../protocol/hooks.ts";
import { readHook } from "./hook-file.ts";
import { type FoundPlace, findHooksPlace, refuseHooks, toRootRelative } from "./place.ts";
import { findBlock } from "./script.ts";

/** Whether Pommel's git hooks are installed. */
export interface GitHooksState {
  /** `partial`: some are missing. `none`, `shared`, `broken`: not installable, for `reason`. */
  state: "installed" | "partial" | "absent" | "none" | "shared" | "broken";
  /** The hooks directory, relative to the project's root; absolute where other repositories use it, too. */
  dir: string | null;
  missing: GitHookName[];
  reason: string | null;
  /** The same as an error, with what to do. */
  error: PommelError | null;
  /** Directories with installed hooks that git no longer uses (core.hooksPath changed). */
  shadowed: string[];
  /** Removed with `pm disable`. */
  disabled: boolean;
  /** Somebody else removed them. */
  isLost: boolean;
}

export async function readGitHooksState(project: Project): Promise<GitHooksState> {
  const place = await findHooksPlace(project.root);
  const { disabled, dirs } = readRecord(project);
  const here = place.state === "found" ? toRootRelative(project, place.dir) : place.dir;
  const shadowed = dirs.filter((dir) => dir !== here && existsSync(resolve(project.root, dir)));
  if (place.state !== "found") {
    const { state, reason } = place;
    return {
      state,
      dir: here,
      missing: [],
      reason,
      error: refuseHooks(place),
      shadowed,
      disabled,
      isLost: false,
    };
  }
  const missing = gitHookNames.filter((hook) => !isInstalled(place, hook));
  const state =
    missing.length === 0 ? "installed" : missing.length < gitHookNames.length ? "partial" : "absent";
  const isLost = state === "absent" && here !== null && dirs.includes(here);
  return { state, dir: here, missing, reason: null, error: null, shadowed, disabled, isLost };
}

/** pre-commit runs the hook that it replaced. */
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
 * `git-hooks.json`, beside what set-up changed in the checkout: where git hooks were installed, and what is needed to
 * restore them beyond their own
 * content.
 */
const record = z.object({
  /** Set by `pm disable`; `pm init` respects it. */
  disabled: z.boolean(),
  /** Directories with changed hooks, relative to the project's root, with slashes. */
  dirs: z.array(z.string()),
  /** Directories that Pommel created, parents first. */
  created_dirs: z.array(z.string()),
  /** Hooks whose last line got a line break. */
  ended: z.array(z.string()),
});
export type GitHooksRecord = z.infer<typeof record>;

const locateRecord = (project: Project) => join(project.setupDir, "git-hooks.json");

/** The record; empty when it is missing or invalid. */
export function readRecord(project: Project): GitHooksRecord {
  try {
    return z.parse(record, JSON.parse(readFileSync(locateRecord(project), "utf8")));
  } catch {
    return { disabled: false, dirs: [], created_dirs: [], ended: [] };
  }
}

/** Deletes the file when there is nothing to record. */
export function writeRecord(project: Project, next: GitHooksRecord): void {
  const file = locateRecord(project);
  if (!next.disabled && next.dirs.length === 0) {
    rmSync(file, { force: true });
    return;
  }
  makeDirectory(project.setupDir);
  writeJson(file, next);
}
