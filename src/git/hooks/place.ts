import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { explainError, PommelError } from "../../base/errors.ts";
import { isInside, type Project } from "../../base/paths.ts";
import { GitFailure, readGitText } from "../git.ts";

/** The hooks directory of a project's repository, or why there is none to use. */
type HooksPlace =
  | {
      state: "found";
      /** Absolute; it may not exist yet. */
      dir: string;
      /** husky: its runner in `dir`/_ passes each file in `dir` to sh, executable or not. */
      runner: "git" | "husky";
      /** The project's path in its repository, with slashes; "" at the top. */
      within: string;
    }
  /**
   * `none`: no git, repository or working tree. `shared`: used by other repositories as well. `broken`: git cannot read
   * the repository.
   */
  | { state: "none" | "shared" | "broken"; dir: string | null; reason: string };

export type FoundPlace = Extract<HooksPlace, { state: "found" }>;

/** The error for a repository that can have no hooks of Pommel. */
export function refuseHooks({ state, reason }: Exclude<HooksPlace, FoundPlace>): PommelError {
  const message = `No git hooks: ${reason.replace(/\.?$/, ".")}`;
  if (state === "none") return new PommelError("not_found", message);
  if (state === "broken") return new PommelError("git_failed", message);
  return new PommelError(
    "settings_invalid",
    message,
    "Pommel still finds commits in the reflog, a little later. To record them at once, run `pommel hook git-post-commit` in the background from the hook there.",
  );
}

/** Asks git, which handles core.hooksPath, worktrees and submodules. */
export async function findHooksPlace(root: string): Promise<HooksPlace> {
  try {
    const top = await readGitText(root, ["rev-parse", "--show-toplevel"]);
    if (top === "") return { state: "none", dir: null, reason: "the repository has no working tree" };
    const dir = resolve(top, await readGitText(top, ["rev-parse", "--git-path", "hooks"]));
    const isOwn =
      isInside(resolveExistingPart(dir), resolveExistingPart(top)) ||
      // Those of a linked worktree lie with the main one.
      isInside(
        resolveExistingPart(dir),
        resolveExistingPart(resolve(top, await readGitText(top, ["rev-parse", "--git-common-dir"]))),
      );
    if (!isOwn) {
      const reason = `git's hooks are in ${dir} (core.hooksPath), outside this repository`;
      return { state: "shared", dir, reason };
    }
    const within = relative(resolveExistingPart(top), resolveExistingPart(root)).split(sep).join("/");
    // `husky` regenerates this directory; its files run those of the same name one level up.
    const isHusky =
      basename(dir) === "_" && (basename(dirname(dir)) === ".husky" || existsSync(join(dir, "h")));
    return isHusky
      ? { state: "found", dir: dirname(dir), runner: "husky", within }
      : { state: "found", dir, runner: "git", within };
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    if (error.isBroken && error.reason !== "not_installed")
      return { state: "broken", dir: null, reason: explainError(error) };
    return { state: "none", dir: null, reason: error.message.replace(/\.$/, "") };
  }
}

/** Resolves links in the existing part of the path. */
function resolveExistingPart(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(resolveExistingPart(dirname(path)), basename(path));
  }
}

/** A path relative to the project's root, with slashes, as in results and records. */
export function toRootRelative({ root }: Pick<Project, "root">, path: string): string {
  return relative(root, path).split(sep).join("/") || ".";
}
