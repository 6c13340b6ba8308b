import type { Command } from "commander";
import { examples, run } from "../../frame.ts";

/** `pm forget`: options and help; the code is loaded when it runs. */
export function declareForget(program: Command): void {
  program
    .command("forget")
    .description("Remove something from the memory for good, after showing what")
    .option("--session <id>", "a session and its subagents; a prefix of its id is enough")
    .option("--turn <id>", "one turn of a session, SESSION:NUMBER")
    .option("--note <id>", "a note; a prefix of its id is enough")
    .option("--since <time>", 'everything since: "2026-01-31", "yesterday"')
    .option("--until <time>", "everything until")
    .option("--match <pattern>", "everything that matches a regular expression (RE2)")
    .option("--dry-run", "only show what would be removed")
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
