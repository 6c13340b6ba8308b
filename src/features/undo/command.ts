import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";

/** `pm undo`. */
export function declareUndo(program: Command): void {
  program
    .command("undo")
    .description("Take back what one session or turn changed, and nothing else")
    .argument("[session]", "the session, or a turn of it: 8ecde0fc, 8ecde0fc:7")
    .option("--apply", "take the changes back in the working tree")
    .option(
      "--branch <name>",
      "put a commit with the result on a new branch, and leave the working tree alone",
    )
    .option("--back", "bring back what the latest `pm undo --apply` took back")
    .option("--patch", "print every changed line")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm undo 8ecde0fc", "what would change, what stays, and why"],
        ["pm undo 8ecde0fc:7 --patch", "of one turn, line by line"],
        ["pm undo 8ecde0fc --apply", "take the changes back; `pm undo --back` undoes this"],
        ["pm undo 8ecde0fc --branch without-8ecde0fc", "in a new branch"],
      )}

Lines of people and of other sessions stay, even if they were added later. Changes that cannot be separated are shown, and left as they are.
Commands with effects outside of files, such as a push, are listed and not undone. Exits with 5 when there is nothing to undo.`,
    )
    .action(run(async () => (await import("./pm-undo.ts")).undoCommand, { startsDaemon: true }));
}
