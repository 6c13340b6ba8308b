import type { Command } from "commander";
import { examples, run } from "../../frame.ts";
import { addOptions } from "../../options.ts";

/** `pm rewind`: options and help; the code is loaded when it runs. */
export function declareRewind(program: Command): void {
  const rewind = program
    .command("rewind")
    .description("Show a checkpoint's code and the agent's state, and go back to it")
    .argument("<checkpoint>", "its id or a commit, or a prefix of either; or a git revision: HEAD~3, a tag");
  addOptions(rewind, "rewindPreview", { target: null })
    .option("--restore", "restore the working tree; no branch moves")
    .option("--worktree <dir>", "check it out into a separate directory instead")
    .addHelpText(
      "after",
      `${examples(
        ["pm rewind 4f1c9a2b77d0", "its code, the changes since, and the sessions"],
        ["pm rewind HEAD~3 --patch", "with every line changed since"],
        ["pm rewind 4f1c --restore", "go back; `git reset --hard HEAD` undoes it"],
        ["pm rewind 4f1c --worktree ../before", "in a separate directory"],
      )}

--restore refuses when there are uncommitted changes or an untracked file would be overwritten. What it
changes is staged, and HEAD stays where it is.`,
    )
    .action(run(async () => (await import("./rewind.ts")).rewindCommand));
}
