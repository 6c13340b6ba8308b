import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { addOptions } from "../../terminal/options.ts";
import { how as howOperation } from "./operation.ts";

export function declareHow(program: Command): void {
  const how = program
    .command("how")
    .description("Show the command lines that worked here for something, with what failed before they did")
    .argument(
      "[what...]",
      "what to run, or a command line that failed (default: what any project is asked for)",
    );
  addOptions(how, howOperation, { q: null })
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm how", "how this project is tested, linted, built, run and released"],
        ["pm how test", "how the tests are run here"],
        ['pm how "run one integration test"', "with the flags that it takes"],
        ['pm how "go test ./..."', "what worked where this failed"],
      )}\n\nExits with 5 when agents ran nothing like it here.`,
    )
    .action(query(async () => (await import("./pm-how.ts")).howCommand));
}
