import type { Command } from "commander";
import { examples, run } from "../../frame.ts";

/** `pm scrub`: options and help; the code is loaded when it runs. */
export function declareScrub(program: Command): void {
  program
    .command("scrub")
    .description("Scrub the memory by the current rules, or check what they find")
    .option("--check [file]", "only report secrets: in a file, in stdin (-), or in the memory")
    .option("--llm", "let the model of scrub.llm read the sessions that were stored before it was asked")
    .option("--init", "create an editable file with all patterns, unless it exists")
    .addHelpText(
      "after",
      `${examples(
        ["pm scrub --check notes.md", "secrets in a file, and where"],
        ["pm scrub --check", "secrets in the memory"],
        ["pm scrub", "remove them"],
        ["pm scrub --llm", "queue what the language model has not read yet"],
        ["pm scrub --init", "create ~/.config/pommel/scrubbing-patterns.toml"],
      )}\n\n--check exits with 1 when it finds something. Secrets are never printed.`,
    )
    .action(run(async () => (await import("./scrub.ts")).scrubCommand));
}
