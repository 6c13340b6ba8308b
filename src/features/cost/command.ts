import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { addOptions } from "../../terminal/options.ts";
import { showCost } from "./operation.ts";

/** `pm cost`. */
export function declareCost(program: Command): void {
  const cost = program
    .command("cost")
    .description("Show what sessions cost: tokens and money by day, branch, commit, session, model or turn");
  addOptions(cost, showCost, { by: "--by <unit>" })
    .addHelpText(
      "after",
      formatExamples(
        ["pm cost", "day by day"],
        ["pm cost --by branch --since monday", "what each branch cost this week"],
        ["pm cost --session 8ecde0fc", "a session, turn by turn"],
        ["pm cost --by commit", "what each commit cost, and what led to none"],
        ["pm cost --commits main..HEAD", "what a pull request cost"],
        ["pm cost --by model --json", "for scripts"],
      ),
    )
    .action(query(async () => (await import("./pm-cost.ts")).costCommand));
}
