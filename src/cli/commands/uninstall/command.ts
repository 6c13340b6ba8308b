import type { Command } from "commander";
import { examples, run } from "../../frame.ts";

/** `pm uninstall`: options and help; the code is loaded when it runs. */
export function declareUninstall(program: Command): void {
  program
    .command("uninstall")
    .description("Remove Pommel from all projects and from your home, after showing what will go")
    .option("--dry-run", "only show what would be removed")
    .option("--keep-memory", "keep each project's memory (memory.db)")
    .option("-y, --yes", "do not ask")
    .addHelpText(
      "after",
      `${examples(
        ["pm uninstall --dry-run", "what would go, by project"],
        ["pm uninstall", "remove it, after asking"],
        ["pm uninstall --keep-memory --yes", "for scripts, keeping sessions and notes"],
      )}\n\nSafe to run again. Finally: npm uninstall -g pommel`,
    )
    .action(run(async () => (await import("./uninstall.ts")).uninstallCommand));
}
