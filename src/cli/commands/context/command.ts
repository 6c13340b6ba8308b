import type { Command } from "commander";
import { examples, query } from "../../frame.ts";
import { resultLimit } from "../../values.ts";

/** `pm context`: options and help; the code is loaded when it runs. */
export function declareContext(program: Command): void {
  program
    .command("context")
    .description(
      "Show automatic context: what was injected into agents' sessions, when, why, its size, and whether it was used",
    )
    .argument("[prompt...]", "preview what this prompt would inject into a new session")
    .option("--last", "only the latest")
    .option("--session <id>", "only this session; a prefix of its id is enough")
    .option("-n, --limit <count>", "at most this many results", resultLimit)
    .option("--preview <prompt>", "the same as the argument")
    .option("--start", "preview what a new session would start with")
    .addHelpText(
      "after",
      examples(
        ["pm context --last", "the latest injection, and why"],
        ["pm context --session 8ecde0fc", "in a session"],
        ['pm context "the retries of the importer fail again"', "what a prompt would inject"],
        ["pm context --start", "what a new session starts with"],
      ),
    )
    .action(query(async () => (await import("./context.ts")).contextCommand));
}
