import type { Command } from "commander";
import { examples, run } from "../../frame.ts";

/** `pm sync` and `pm pull`: options and help; the code is loaded when it runs. */
export function declareSync(program: Command): void {
  program
    .command("sync")
    .description("Share the memory through git: import what others shared, push what is new here")
    .option("--dry-run", "only show what would be shared and imported")
    .option("--allow-public", "share with this remote, whoever can read it; remembered")
    .option("--everything", "also sessions from outside the project")
    .option("--no-filter", "share without scrubbing again; asks twice")
    .option("-y, --yes", "do not ask (once per question)", (_: unknown, before: number) => before + 1, 0)
    .addHelpText(
      "after",
      `${examples(
        ["pm sync --dry-run", "what would be shared"],
        ["pm sync", "share it"],
        ["pm sync --allow-public", "for a remote whose readers you trust"],
      )}\n\nNothing is shared unless you say so. Your index, working tree and branches are not touched.`,
    )
    .action(run(async () => (await import("./sync.ts")).syncCommand));

  program
    .command("pull")
    .description("Import what other machines shared")
    .option("--dry-run", "only show what there is")
    .option("--force", "import everything again")
    .addHelpText(
      "after",
      examples(
        ["pm pull", "new sessions and notes"],
        ["pm pull --force", "everything, when something is missing here"],
      ),
    )
    .action(run(async () => (await import("./sync.ts")).pullCommand));
}
