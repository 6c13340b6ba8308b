import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { shared } from "../../terminal/options.ts";

/** `pm session context`. */
export function declareContext(session: Command): void {
  session
    .command("context")
    .description(
      "Show automatic context: what was injected into agents' sessions, when, why, its size, and whether it was used",
    )
    .argument("[prompt...]", "preview what this prompt would inject into a new session")
    .option("--last", "only the latest")
    .option("--session <id>", "only this session; a prefix of its id is enough")
    .option(...shared.limit)
    .option("--start", "preview what a new session would start with")
    .addHelpText(
      "after",
      formatExamples(
        ["pm session context --last", "the latest injection, and why"],
        ["pm session context --session 8ecde0fc", "in a session"],
        ['pm session context "the retries of the importer fail again"', "what a prompt would inject"],
        ["pm session context --start", "what a new session starts with"],
      ),
    )
    .action(query(async () => (await import("./pm-context.ts")).contextCommand));
}
