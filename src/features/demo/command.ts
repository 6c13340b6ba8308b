import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";

/** The commands that set up, configure and examine: options and help. Their code is loaded when they run. */
export function declareDemo(program: Command): void {
  program
    .command("demo")
    .description("Show what Pommel does, in a made-up repository that is deleted afterwards")
    .argument("[directory]", "search this repository first")
    .argument("[question...]", "a question to search it for")
    .addHelpText(
      "after",
      formatExamples(
        ["pm demo", "search, why, how, fix, review and the page, in a home of its own"],
        ['pm demo . "retry with backoff"', "first a search in this repository"],
      ),
    )
    .action(run(async () => (await import("./pm-demo.ts")).demoCommand));
}
