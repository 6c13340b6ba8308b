import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { addOptions } from "../../terminal/options.ts";
import { listDecisions } from "./operation.ts";

/** `pm memory decisions`. */
export function declareDecisions(memory: Command): void {
  const decisions = memory
    .command("decisions")
    .description("List notes and decisions: latest first, or best match for a query")
    .argument("[query...]", "what it is about");
  addOptions(decisions, listDecisions, { q: null, file: "-f, --file <path>" })
    .addHelpText(
      "after",
      formatExamples(
        ["pm memory decisions", "the last ten"],
        ['pm memory decisions "why sqlite"', "best matches first"],
        ["pm memory decisions --file src/db", "decisions about these files"],
      ),
    )
    .action(query(async () => (await import("./pm-decisions.ts")).decisionsCommand));
}
