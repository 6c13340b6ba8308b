import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { addOptions } from "../../terminal/options.ts";
import { how as howOperation } from "./operation.ts";

export function declareHow(program: Command): void {
  const how = program
    .command("how")
    .description("Show the command lines that worked here, and what failed before them")
    .argument(
      "[what...]",
      "what to run, or a command line that failed (default: how to test, lint, build, run and release)",
    );
  addOptions(how, howOperation, { q: null })
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm how", "how this project is tested, linted, built, run and released"],
        ["pm how test", "how the tests are run here"],
        ['pm how "run one integration test"', "with the options that it needs"],
        ['pm how "go test ./..."', "what worked instead of a command that failed"],
      )}\n\nExits with 5 if agents ran no such command here.`,
    )
    .action(query(async () => (await import("./pm-how.ts")).howCommand));
}
