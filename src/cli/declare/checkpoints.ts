import type { Command } from "commander";
import { examples, query, run } from "../frame.ts";
import { positiveInteger, resultLimit } from "./values.ts";

/** The commands about commits that sessions led to. */
export function declareCheckpointCommands(program: Command): void {
  const checkpoint = program
    .command("checkpoint")
    .description("Show commits with the sessions and turns that led to them")
    .addHelpText(
      "after",
      examples(
        ["pm checkpoint", "the last twenty"],
        ["pm checkpoint show HEAD", "who led to the last commit, and how"],
        ["pm checkpoint diff HEAD~3 HEAD", "what lies between two of them"],
        ["pm checkpoint backfill", "find those from before Pommel came here"],
      ),
    );

  checkpoint
    .command("list", { isDefault: true })
    .description("List checkpoints, the latest commit first")
    .option("--session <id>", "only of this session; the beginning of its id is enough")
    .option("--branch <name>", "only made on this git branch")
    .option("--file <path>", "only those that changed this file or directory")
    .option("--since <time>", 'only committed from then on: "2026-01-31", "last week", "3 days ago"')
    .option("--until <time>", "only committed up to then")
    .option("-n, --limit <count>", "at most this many", resultLimit)
    .addHelpText(
      "after",
      examples(
        ["pm checkpoint list --session 8ecde0fc", "what a session led to"],
        ['pm checkpoint list --since "last week" --json', "for scripts"],
      ),
    )
    .action(query(async () => (await import("../commands/checkpoint/list.ts")).checkpointListCommand));

  checkpoint
    .command("show")
    .description(
      "Show a checkpoint: its commit, sessions and turns, who wrote its lines, what agents were at",
    )
    .argument("<id>", "its id, a commit, or the beginning of either; or what git takes: HEAD~2, a tag")
    .addHelpText(
      "after",
      `${examples(
        ["pm checkpoint show 4f1c9a2b77d0", "by its id"],
        ["pm checkpoint show HEAD~2", "by its commit"],
      )}\n\nExits with 5 when no session is known to have led to it.`,
    )
    .action(query(async () => (await import("../commands/checkpoint/show.ts")).checkpointShowCommand));

  checkpoint
    .command("diff")
    .description("Compare the files of two checkpoints, and name the sessions between them")
    .argument("<from>", "a checkpoint or commit, as for `pm checkpoint show`")
    .argument("<to>", "another one")
    .option("--patch", "print every line that is different")
    .addHelpText(
      "after",
      examples(
        ["pm checkpoint diff 4f1c9a 77d0b2", "which files, and by whom"],
        ["pm checkpoint diff 4f1c9a HEAD --patch", "line by line"],
      ),
    )
    .action(run(async () => (await import("../commands/checkpoint/diff.ts")).checkpointDiffCommand));

  checkpoint
    .command("backfill")
    .description("Go over history and bind its commits to what is remembered")
    .option("--since <time>", "only commits from then on; else since a day before the first session")
    .option("--limit <count>", "only so many, the latest", positiveInteger)
    .option("--all", "all of history, for `pm blame` and `pm stats`")
    .addHelpText(
      "after",
      `${examples(
        ["pm checkpoint backfill", "since the first session that is remembered"],
        ['pm checkpoint backfill --since "last month"', "only lately"],
      )}\n\nCtrl-C keeps what is done; run it again to go on. The daemon does it by itself, too.`,
    )
    .action(run(async () => (await import("../commands/checkpoint/backfill.ts")).checkpointBackfillCommand));
}
