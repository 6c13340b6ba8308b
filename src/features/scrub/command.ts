import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";

/** `pm memory scrub`. */
export function declareScrub(memory: Command): void {
  memory
    .command("scrub")
    .description("Remove secrets from the memory with the current patterns, or only report them")
    .option("--check [file]", "only report secrets: in a file, in stdin (-), or in the memory")
    .option("--review", "list values that look like secrets but were kept, the most suspicious first")
    .option("--llm", "let the model also read sessions that were stored before scrub.llm was on")
    .option("--init", "create an editable file with all patterns, unless it exists")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm memory scrub --check notes.md", "secrets in a file, and where"],
        ["pm memory scrub --check", "secrets in the memory"],
        ["pm memory scrub", "remove them"],
        ["pm memory scrub --review", "values that were almost removed, with their beginning and length"],
        ["pm memory scrub --llm", "queue what the language model has not read yet"],
        ["pm memory scrub --init", "create ~/.config/pommel/scrubbing-patterns.toml"],
      )}\n\n--check exits with 1 when it finds something. Secrets are never printed.`,
    )
    .action(run(async () => (await import("./pm-scrub.ts")).scrubCommand, { startsDaemon: true }));
}
