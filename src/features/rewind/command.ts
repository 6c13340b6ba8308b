import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";
import { addOptions } from "../../terminal/options.ts";
import { previewRewind } from "./operation.ts";

/** `pm checkpoint rewind`. */
export function declareRewind(checkpoint: Command): void {
  const rewind = checkpoint
    .command("rewind")
    .description(
      "Show the code and the sessions at a checkpoint; with --restore or --worktree, go back to its code",
    )
    .argument("<checkpoint>", "its commit, or a prefix of it; or a git revision: HEAD~3, a tag");
  addOptions(rewind, previewRewind, { target: null })
    .option("--restore", "restore the working tree; no branch moves")
    .option("--worktree <dir>", "check it out into a separate directory instead")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm checkpoint rewind 4f1c9a2b77d0", "its code, the changes since, and the sessions"],
        ["pm checkpoint rewind HEAD~3 --patch", "with every line changed since"],
        ["pm checkpoint rewind 4f1c --restore", "go back; `git reset --hard HEAD` undoes it"],
        ["pm checkpoint rewind 4f1c --worktree ../before", "in a separate directory"],
      )}

--restore refuses when there are uncommitted changes or an untracked file would be overwritten. What it
changes is staged, and HEAD stays where it is.`,
    )
    .action(run(async () => (await import("./pm-rewind.ts")).rewindCommand, { startsDaemon: true }));
}
