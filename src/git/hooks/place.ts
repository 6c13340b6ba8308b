import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Project } from "../../project/paths.ts";
import { GitFailure, gitText } from "../git.ts";

/** Where hooks of the repository that a project lies in belong, or why there is no place for them. */
type HooksPlace =
  | {
      state: "found";
      /** The directory whose files are to be changed, absolute; it may not exist yet. */
      dir: string;
      /** husky: its runner in `dir`/_ hands each file in `dir` to sh, whether it may be executed or not. */
      runner: "git" | "husky";
      /** Where the project lies in its repository, with slashes; "" at its top. */
      within: string;
    }
  /** `none`: no git, no repository, or one without a working tree. `shared`: with other repositories. */
  | { state: "none" | "shared"; dir: string | null; reason: string };

export type FoundPlace = Extract<HooksPlace, { state: "found" }>;

/** Asks git where the hooks are, which knows of core.hooksPath, worktrees and submodules. */
export async function hooksPlace(root: string): Promise<HooksPlace> {
  try {
    const top = await gitText(root, ["rev-parse", "--show-toplevel"]);
    if (top === "") return { state: "none", dir: null, reason: "the repository has no working tree" };
    const common = resolve(top, await gitText(top, ["rev-parse", "--git-common-dir"]));
    const dir = resolve(top, await gitText(top, ["rev-parse", "--git-path", "hooks"]));
    if (![top, common].some((own) => isInside(realPath(dir), realPath(own)))) {
      const reason = `git's hooks are in ${dir} (core.hooksPath), outside this repository`;
      return { state: "shared", dir, reason };
    }
    const within = relative(realPath(top), realPath(root)).split(sep).join("/");
    // What is in there is written anew by `husky`; each of its files runs the one of the same name above it.
    const isHusky =
      basename(dir) === "_" && (basename(dirname(dir)) === ".husky" || existsSync(join(dir, "h")));
    return isHusky
      ? { state: "found", dir: dirname(dir), runner: "husky", within }
      : { state: "found", dir, runner: "git", within };
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return { state: "none", dir: null, reason: error.message };
  }
}

function isInside(path: string, dir: string): boolean {
  return path === dir || path.startsWith(dir + sep);
}

/** With links followed as far as there is something. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path));
  }
}

/** A path as results and records name it: from the project's root, with slashes. */
export function fromRoot({ root }: Pick<Project, "root">, path: string): string {
  return relative(root, path).split(sep).join("/") || ".";
}
