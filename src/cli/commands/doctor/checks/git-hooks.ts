import { readdirSync } from "node:fs";
import { gitHooksState } from "../../../../git/hooks/state.ts";
import type { Project } from "../../../../project/paths.ts";
import { type CheckResult, ok, warn } from "./check.ts";

/** What to do where git's hooks are everybody's. */
export const sharedHint =
  "Pommel still finds commits in the reflog, a little later. To record them at once, run `pommel hook git-post-commit` in the background from the hook there.";

/** Whether git's hooks report this project's commits. */
export async function checkGitHooks(project: Project): Promise<CheckResult> {
  const { state, dir, missing, reason, shadowed, disabled } = await gitHooksState(project);
  if (state === "none") return ok(`no git hooks: ${reason}`);
  if (state === "broken")
    return warn("Git's hooks cannot be checked before git can read the repository.", "");
  if (state === "installed") return ok(`git runs Pommel's hooks (${dir})`);
  if (disabled && state !== "partial") return ok("git hooks are off; `pm enable` adds them again");
  if (state === "shared") return warn(`Pommel's git hooks are missing: ${reason}.`, sharedHint);
  if (state === "absent" && shadowed.length > 0) {
    return warn(
      `Git looks for hooks in ${dir} (core.hooksPath), and Pommel's are in ${shadowed.join(", ")}.`,
      "Run `pm enable --git`.",
    );
  }
  if (state === "absent") return warn("Pommel's git hooks are missing.", "Run `pm enable --git`.");
  const who = usesLefthook(project.root) ? " `lefthook install` rewrites the hooks it manages." : "";
  return warn(`Git has no Pommel hook for ${missing.join(", ")} (${dir}).${who}`, "Run `pm enable --git`.");
}

function usesLefthook(root: string): boolean {
  return readdirSync(root).some((name) => /^\.?lefthook\.(?:ya?ml|toml|json|jsonc)$/.test(name));
}
