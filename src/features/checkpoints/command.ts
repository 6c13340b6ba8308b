import type { Command } from "commander";
import { formatExamples, query, run } from "../../terminal/frame.ts";
import { addOptions, positiveInteger } from "../../terminal/options.ts";
import { listCheckpoints } from "./operation.ts";

/** `pm checkpoint list`, `show`, `diff` and `backfill`. */
export function declareCheckpoints(checkpoint: Command): void {
  const list = checkpoint
    .command("list", { isDefault: true })
    .description("List checkpoints, latest commit first");
  addOptions(list, listCheckpoints, { surviving: null })
    .addHelpText(
      "after",
      formatExamples(
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
      `${formatExamples(
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
      formatExamples(
        ["pm checkpoint diff 4f1c9a 77d0b2", "which files, and by whom"],
        ["pm checkpoint diff 4f1c9a HEAD --patch", "line by line"],
      ),
    )
    .action(
      run(async () => (await import("./pm-checkpoint-show.ts")).checkpointDiffCommand, {
        startsDaemon: true,
      }),
    );

  checkpoint
    .command("backfill")
    .description("Link past commits to the sessions that led to them")
    .option("--since <time>", "only commits since this time (default: a day before the first session)")
    .option("--limit <count>", "only the latest commits, at most this many", positiveInteger)
    .option("--all", "the whole history, for `pm blame` and `pm code stats`")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm checkpoint backfill", "since the first recorded session"],
        ['pm checkpoint backfill --since "last month"', "only recent ones"],
      )}\n\nSafe to interrupt; run it again to continue. The daemon also does this in the background.`,
    )
    .action(
      run(async () => (await import("./pm-checkpoint-list.ts")).checkpointBackfillCommand, {
        startsDaemon: true,
      }),
    );
}
