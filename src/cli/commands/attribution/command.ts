import type { Command } from "commander";
import { examples, run } from "../../frame.ts";

/** `pm attribution`: options and help; the code is loaded when it runs. */
export function declareAttribution(program: Command): void {
  const attribution = program
    .command("attribution")
    .description("Exchange who wrote which lines with other tools")
    .addHelpText(
      "after",
      examples(["pm attribution export --git-ai main..HEAD", "notes that Git AI and others read"]),
    );

  attribution
    .command("export")
    .description("Write who wrote the lines of commits in an open format")
    .argument(
      "[range]",
      "commits as git log takes them: main..HEAD; one revision is that commit (default: all of HEAD's)",
    )
    .option("--git-ai", "as notes on the commits, refs/notes/ai (Git AI standard 3.0.0)")
    .option("--force", "also replace notes that another tool wrote")
    .option("--dry-run", "only show what would be written")
    .addHelpText(
      "after",
      `${examples(
        ["pm attribution export --git-ai", "notes on all commits whose lines have an author"],
        ["pm attribution export --git-ai HEAD --dry-run", "what the last commit would get"],
        ["git push origin refs/notes/ai", "share the notes"],
        ["git update-ref -d refs/notes/ai", "remove all notes, those of other tools, too"],
      )}\n\nUnknown lines get no entry. A second run changes nothing, and the command that takes the notes back is printed.`,
    )
    .action(run(async () => (await import("./export.ts")).attributionExportCommand));
}
