import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";

/** `pm memory undo`. */
export function declareUndo(memory: Command): void {
  memory
    .command("undo")
    .description("Bring back what a command took away: forget, restore, projects forget and join, uninstall")
    .argument("[number]", "of `pm memory undo --list` (default: the latest that was taken here)")
    .option("--list", "show what can be brought back")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm memory undo", "the latest thing"],
        ["pm memory undo --list", "what there is, and until when"],
        ["pm memory undo 3", "a certain one"],
      )}\n\nWhat is in its place by now goes into the trash. Exits with 5 when there is nothing to bring back.`,
    )
    .action(run(async () => (await import("./pm-undo.ts")).undoCommand));
}
