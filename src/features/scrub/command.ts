import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";

/** `pm memory scrub`. */
export function declareScrub(memory: Command): void {
  memory
    .command("scrub")
    .description("Scrub the memory by the current rules, or check what they find")
    .option("--check [file]", "only report secrets: in a file, in stdin (-), or in the memory")
    .option("--review", "show what was nearly redacted, the most secret-looking first, to decide on")
    .option("--llm", "let the model of scrub.llm read the sessions that were stored before it was asked")
    .option("--init", "create an editable file with all patterns, unless it exists")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm memory scrub --check notes.md", "secrets in a file, and where"],
        ["pm memory scrub --check", "secrets in the memory"],
        ["pm memory scrub", "remove them"],
        ["pm memory scrub --review", "what was nearly redacted: of each value its beginning and its length"],
        ["pm memory scrub --llm", "queue what the language model has not read yet"],
        ["pm memory scrub --init", "create ~/.config/pommel/scrubbing-patterns.toml"],
      )}\n\n--check exits with 1 when it finds something. Secrets are never printed.`,
    )
    .action(run(async () => (await import("./pm-scrub.ts")).scrubCommand, { startsDaemon: true }));
}
