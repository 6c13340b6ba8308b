import type { Command } from "commander";
import { examples, query } from "../frame.ts";
import { resultLimit } from "./values.ts";

/** The command that shows what agents are told by themselves. */
export function declareContextCommand(program: Command): void {
  program
    .command("context")
    .description("Show what agents were told by themselves: when, why, and what it cost")
    .option("--last", "only the last time")
    .option("--session <id>", "only in this session; the beginning of its id is enough")
    .option("-n, --limit <count>", "at most this many", resultLimit)
    .option("--preview <prompt>", "what a new session would be told with this prompt")
    .option("--start", "what a session that starts now would be told")
    .addHelpText(
      "after",
      examples(
        ["pm context --last", "what was told last, and why"],
        ["pm context --session 8ecde0fc", "in a session"],
        ['pm context --preview "the retries of the importer fail again"', "what a prompt would bring up"],
        ["pm context --start", "what a new session begins with"],
      ),
    )
    .action(query(async () => (await import("../commands/context/context.ts")).contextCommand));
}
