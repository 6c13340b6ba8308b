import type { Command } from "commander";
import { examples, run } from "../../frame.ts";
import { addOptions } from "../../options.ts";

/** `pm forget`: options and help; the code is loaded when it runs. */
export function declareForget(program: Command): void {
  const forget = program
    .command("forget")
    .description("Remove something from the memory for good, after showing what");
  addOptions(forget, "forget", {
    turn: "--turn <id>",
    annotation: "--note <id>",
    pattern: "--match <pattern>",
  })
    .option("-y, --yes", "do not ask")
    .addHelpText(
      "after",
      `${examples(
        ["pm forget --session 8ecde0fc", "a session"],
        ["pm forget --turn 8ecde0fc:7", "one turn of it"],
        ['pm forget --match "Project Falcon" --dry-run', "what a pattern would remove"],
        ["pm forget --since yesterday --yes", "for scripts"],
      )}\n\nLeaves no trace in Pommel's files. The agent's own transcripts are not touched.`,
    )
    .action(run(async () => (await import("./forget.ts")).forgetCommand));
}
