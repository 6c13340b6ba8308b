import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { addOptions, groupOptions } from "../../terminal/options.ts";
import { recall as recallOperation } from "./operation.ts";

export function declareRecall(program: Command): void {
  const recall = program
    .command("recall")
    .description("Recall what was decided, tried, run and fixed before, or where work stopped")
    .argument("[about...]", "a topic, something to run, or an error (default: where work stopped)");
  addOptions(recall, recallOperation, { about: null, asked_by: null });
  groupOptions(recall, {
    "Narrow it down": ["said-by", "kind", "file", "since", "until", "branch", "agent", "limit"],
  });
  recall
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm recall", "where work stopped on this branch"],
        ["pm recall file locking", "what was decided and tried"],
        ["pm recall tests --said-by user", "what you said yourself"],
        ["pm recall --id 8ecde0fc:3", "a turn: what was said, changed and run"],
      )}\n\nExits with 5 when nothing is recorded about it.`,
    )
    .action(query(async () => (await import("./pm-recall.ts")).recallCommand));
}
