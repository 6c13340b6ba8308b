import type { Command } from "commander";
import { examples, query, run } from "../../terminal/frame.ts";
import { addOptions, positiveInteger } from "../../terminal/options.ts";
import { previewRewind } from "../rewind/operation.ts";
import { listCheckpoints } from "./operation.ts";

/** `pm checkpoint`: options and help; the code is loaded when it runs. */
export function declareCheckpoint(program: Command): void {
  const checkpoint = program
    .command("checkpoint")
    .description("Show commits with the sessions and turns that led to them")
    .addHelpText(
      "after",
      examples(
        ["pm checkpoint", "the last twenty"],
        ["pm checkpoint show HEAD", "the sessions behind the last commit"],
        ["pm checkpoint diff HEAD~3 HEAD", "compare two of them"],
        ["pm checkpoint rewind HEAD~3", "its code, the changes since, and the sessions"],
        ["pm checkpoint backfill", "find checkpoints in older commits"],
      ),
    );

  const list = checkpoint
    .command("list", { isDefault: true })
    .description("List checkpoints, latest commit first");
  addOptions(list, listCheckpoints, { surviving: null })
    .addHelpText(
      "after",
      examples(
        ["pm checkpoint list --session 8ecde0fc", "the commits of a session"],
        ['pm checkpoint list --since "last week" --json', "for scripts"],
      ),
    )
    .action(query(async () => (await import("./pm-checkpoint-list.ts")).checkpointListCommand));

  checkpoint
    .command("show")
    .description("Show a checkpoint: its commit, sessions and turns, who wrote its lines, the agents' state")
    .argument("<id>", "its commit, or a prefix of it; or a git revision: HEAD~2, a tag")
    .addHelpText(
      "after",
      `${examples(
        ["pm checkpoint show 4f1c9a2b77d0", "by its commit"],
        ["pm checkpoint show HEAD~2", "by a revision"],
      )}\n\nExits with 5 when no recorded session led to it.`,
    )
    .action(query(async () => (await import("./pm-checkpoint-show.ts")).checkpointShowCommand));

  checkpoint
    .command("diff")
    .description("Compare the files of two checkpoints and list the sessions between them")
    .argument("<from>", "a checkpoint or commit, as for `pm checkpoint show`")
    .argument("<to>", "another one")
    .option("--patch", "print every changed line")
    .addHelpText(
      "after",
      examples(
        ["pm checkpoint diff 4f1c9a 77d0b2", "which files, and by whom"],
        ["pm checkpoint diff 4f1c9a HEAD --patch", "line by line"],
      ),
    )
    .action(run(async () => (await import("./pm-checkpoint-show.ts")).checkpointDiffCommand));

  const rewind = checkpoint
    .command("rewind")
    .description("Show a checkpoint's code and the agent's state, and go back to it")
    .argument("<checkpoint>", "its commit, or a prefix of it; or a git revision: HEAD~3, a tag");
  addOptions(rewind, previewRewind, { target: null })
    .option("--restore", "restore the working tree; no branch moves")
    .option("--worktree <dir>", "check it out into a separate directory instead")
    .addHelpText(
      "after",
      `${examples(
        ["pm checkpoint rewind 4f1c9a2b77d0", "its code, the changes since, and the sessions"],
        ["pm checkpoint rewind HEAD~3 --patch", "with every line changed since"],
        ["pm checkpoint rewind 4f1c --restore", "go back; `git reset --hard HEAD` undoes it"],
        ["pm checkpoint rewind 4f1c --worktree ../before", "in a separate directory"],
      )}

--restore refuses when there are uncommitted changes or an untracked file would be overwritten. What it
changes is staged, and HEAD stays where it is.`,
    )
    .action(run(async () => (await import("../rewind/pm-rewind.ts")).rewindCommand));

  checkpoint
    .command("backfill")
    .description("Link past commits to the sessions that led to them")
    .option("--since <time>", "only commits since (default: a day before the first session)")
    .option("--limit <count>", "only the latest commits, at most this many", positiveInteger)
    .option("--all", "the whole history, for `pm blame` and `pm code stats`")
    .addHelpText(
      "after",
      `${examples(
        ["pm checkpoint backfill", "since the first recorded session"],
        ['pm checkpoint backfill --since "last month"', "only lately"],
      )}\n\nSafe to interrupt; run it again to continue. The daemon also does this in the background.`,
    )
    .action(run(async () => (await import("./pm-checkpoint-list.ts")).checkpointBackfillCommand));
}
