import { readdirSync } from "node:fs";
import { gitHooksState } from "../../../../git/hooks/state.ts";
import type { Project } from "../../../../project/paths.ts";
import { type CheckResult, ok, warn } from "./check.ts";

/** What to do where git's hooks are everybody's. */
export const sharedHint =
  "Commits are found in the reflog all the same, a little later. To have them told at once, start `pommel hook git-post-commit` in the background from the hook there.";

/** Whether git tells us of this project's commits. */
export async function checkGitHooks(project: Project): Promise<CheckResult> {
  const { state, dir, missing, reason, shadowed, disabled } = await gitHooksState(project);
  if (state === "none") return ok(`no hooks of git: ${reason}`);
  if (state === "installed") return ok(`git runs Pommel's hooks (${dir})`);
  if (disabled && state !== "partial") return ok("git's hooks are switched off; `pm enable` puts them back");
  if (state === "shared") return warn(`Pommel has no hooks in git: ${reason}.`, sharedHint);
  if (state === "absent" && shadowed.length > 0) {
    return warn(
      `Git looks for hooks in ${dir} (core.hooksPath), and Pommel's are in ${shadowed.join(", ")}.`,
      "Run `pm enable --git`.",
    );
  }
  if (state === "absent") return warn("Git does not tell Pommel of commits.", "Run `pm enable --git`.");
  const who = usesLefthook(project.root) ? " `lefthook install` makes the hooks that it knows of anew." : "";
  return warn(
    `Git runs no hook of Pommel for ${missing.join(", ")} (${dir}).${who}`,
    "Run `pm enable --git`.",
  );
}

function usesLefthook(root: string): boolean {
  return readdirSync(root).some((name) => /^\.?lefthook\.(?:ya?ml|toml|json|jsonc)$/.test(name));
}
