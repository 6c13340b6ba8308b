import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { addOptions } from "../../terminal/options.ts";
import { deadEnds } from "./operation.ts";

/** `pm dead-ends` */
export function declareDeadEnds(program: Command): void {
  const command = program
    .command("dead-ends")
    .description("List what agents tried here and gave up, with the reason and what worked instead")
    .argument("[about...]", "only those with these words: an error, a command, a name");
  addOptions(command, deadEnds, { about: null })
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm dead-ends", "the latest first"],
        ["pm dead-ends unknown flag", "those with these words"],
        ["pm dead-ends --kind command", "calls that never worked"],
        ["pm dead-ends --file src/http", "changes there that were taken back"],
      )}\n\nExits with 5 when there is none.`,
    )
    .action(query(async () => (await import("./pm-dead-ends.ts")).deadEndsCommand));
}
