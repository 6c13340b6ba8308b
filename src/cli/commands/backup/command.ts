import type { Command } from "commander";
import { examples, run } from "../../frame.ts";

/** `pm backup`, `pm backup list` and `pm restore`: options and help; the code is loaded when it runs. */
export function declareBackup(program: Command): void {
  const backup = program
    .command("backup")
    .description("Copy the memory: sessions, notes and commits")
    .option("--to <path>", "a directory, or a file that does not exist yet")
    .addHelpText(
      "after",
      `${examples(
        ["pm backup", "beside the memory, or into backup.folder"],
        ["pm backup --to /mnt/usb", "into another directory"],
        ["pm backup --to before.db", "as a file"],
        ["pm backup list", "what can be restored"],
      )}\n\nThe daemon makes one a day by itself. The code index needs none: it can always be rebuilt.`,
    )
    .action(run(async () => (await import("./backup.ts")).backupCommand));

  backup
    .command("list")
    .description("List the backups that `pm restore` can restore")
    .addHelpText("after", examples(["pm backup list", "newest first"]))
    .action(run(async () => (await import("./backup.ts")).listCommand));

  program
    .command("restore")
    .description("Put a backup in the place of the memory, after showing what changes")
    .argument("[backup]", "its number or name in `pm backup list`, or a file (default: the newest)")
    .option("--undo", "go back to what the last restore replaced")
    .option("--dry-run", "only show what would change")
    .option("-y, --yes", "do not ask")
    .addHelpText(
      "after",
      examples(
        ["pm restore --dry-run", "what the newest backup would change"],
        ["pm restore 2", "the second of `pm backup list`"],
        ["pm restore /mnt/usb/before.db --yes", "a file, for scripts"],
        ["pm restore --undo", "back to what it was before"],
      ),
    )
    .action(run(async () => (await import("./restore.ts")).restoreCommand));
}
