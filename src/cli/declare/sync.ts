import type { Command } from "commander";
import { examples, run } from "../frame.ts";

/** The commands that share the memory with other machines. */
export function declareSyncCommands(program: Command): void {
  program
    .command("sync")
    .description("Share the memory through git: take in what others shared, and push what is new here")
    .option("--dry-run", "only say what would be shared and taken in")
    .option("--allow-public", "share with this remote, whoever may read it; remembered")
    .option("--everything", "also sessions that ran outside of the project")
    .option("--no-filter", "share what is stored as it is, without scrubbing it once more; asks twice")
    .option("-y, --yes", "do not ask; once for each question", (_: unknown, before: number) => before + 1, 0)
    .addHelpText(
      "after",
      `${examples(
        ["pm sync --dry-run", "what would be shared"],
        ["pm sync", "share it"],
        ["pm sync --allow-public", "once, for a remote whose readers you know"],
      )}\n\nNothing is ever shared unless you say so. Your index, your working tree and your branches stay as they are.`,
    )
    .action(run(async () => (await import("../commands/sync/sync.ts")).syncCommand));

  program
    .command("pull")
    .description("Take in what other machines shared")
    .option("--dry-run", "only say what there is")
    .option("--force", "take everything in again, also what was taken in before")
    .addHelpText(
      "after",
      examples(
        ["pm pull", "what is new"],
        ["pm pull --force", "all of it, when something went missing here"],
      ),
    )
    .action(run(async () => (await import("../commands/sync/pull.ts")).pullCommand));
}
