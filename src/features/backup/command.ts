import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";
import { shared } from "../../terminal/options.ts";

/** `pm memory backup` and `restore`. */
export function declareBackup(memory: Command): void {
  const backup = memory
    .command("backup")
    .description("Copy the memory: sessions, notes and commits")
    .option("--to <path>", "a directory, or a file that does not exist yet")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm memory backup", "beside the memory, or into backup.folder"],
        ["pm memory backup --to /mnt/usb", "into another directory"],
        ["pm memory backup --to before.db", "as a file"],
        ["pm memory backup list", "what can be restored"],
      )}\n\nThe daemon makes one a day by itself. The code index needs none: it can always be rebuilt.`,
    )
    .action(run(async () => (await import("./pm-backup.ts")).backupCommand));

  backup
    .command("list")
    .description("List the backups that `pm memory restore` can restore")
    .addHelpText("after", formatExamples(["pm memory backup list", "newest first"]))
    .action(run(async () => (await import("./pm-backup.ts")).listCommand));

  memory
    .command("restore")
    .description("Replace the memory with a backup, after showing what will change")
    .argument(
      "[backup]",
      "the backup: its number or name in `pm memory backup list`, or a file (default: the newest)",
    )
    .option(
      "--as <project>",
      "needed if the backup is from another project or another home: the name of the project here whose memory it will become",
    )
    .option(...shared.dryRun)
    .option(...shared.yes)
    .addHelpText(
      "after",
      formatExamples(
        ["pm memory restore --dry-run", "what the newest backup would change"],
        ["pm memory restore 2", "the second of `pm memory backup list`"],
        ["pm memory restore /mnt/usb/before.db --yes", "a file, for scripts"],
        [
          "pm memory restore other.db --as my-app",
          "a backup from another project or home, as the memory of my-app",
        ],
        ["pm memory undo", "back to what it was before"],
      ),
    )
    .action(run(async () => (await import("./pm-backup.ts")).restoreCommand));
}
