import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";

/** `pm memory undo`. */
export function declareUndo(memory: Command): void {
  memory
    .command("undo")
    .description("Bring back what a command removed: forget, restore, projects forget and join, uninstall")
    .argument(
      "[number]",
      "its number in `pm memory undo --list` (default: what was removed last in this project)",
    )
    .option("--list", "show what can be brought back")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm memory undo", "bring back what was removed last"],
        ["pm memory undo --list", "what can be brought back, and until when"],
        ["pm memory undo 3", "number 3 of that list"],
      )}\n\nIf there is something newer in its place, the newer version goes into the trash. Exits with 5 when there is nothing to bring back.`,
    )
    .action(run(async () => (await import("./pm-memory-undo.ts")).undoCommand));
}
