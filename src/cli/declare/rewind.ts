import type { Command } from "commander";
import { examples, run } from "../frame.ts";

/** The command that goes back to a checkpoint. */
export function declareRewindCommand(program: Command): void {
  program
    .command("rewind")
    .description("Show a checkpoint's code and what the agent was at, and go back to it")
    .argument(
      "<checkpoint>",
      "its id, a commit, or the beginning of either; or what git takes: HEAD~3, a tag",
    )
    .option("--patch", "print all that has changed since, line by line")
    .option("--restore", "make the working tree that of the checkpoint; no branch is moved")
    .option("--worktree <dir>", "check it out into a directory of its own instead")
    .addHelpText(
      "after",
      `${examples(
        ["pm rewind 4f1c9a2b77d0", "what the code was, what has changed since, and what was going on"],
        ["pm rewind HEAD~3 --patch", "with every line that has changed since"],
        ["pm rewind 4f1c --restore", "go back; `git reset --hard HEAD` comes back"],
        ["pm rewind 4f1c --worktree ../before", "beside what you are at"],
      )}

--restore refuses while anything is not committed, or a file that git does not track would be overwritten. What it
changes is staged, and HEAD stays where it is.`,
    )
    .action(run(async () => (await import("../commands/rewind/rewind.ts")).rewindCommand));
}
