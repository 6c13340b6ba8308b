import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { addOptions } from "../../terminal/options.ts";
import { why as whyOperation } from "./operation.ts";

export function declareWhy(program: Command): void {
  const why = program
    .command("why")
    .description(
      "Explain why a line exists: who wrote it, what was asked and decided, whether that still holds",
    )
    .argument("<place>", "a file, with a line or range: src/auth.ts:42, src/auth.ts:42-50")
    .argument("[lines]", "the line or range, if <place> is only a file: 42, 42-50");
  addOptions(why, whyOperation, { file: null, first_line: null, last_line: null, brief: null })
    .option("--full", "print prompts and lines in full")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm why src/auth.ts:42", "a line: its commit, turn, prompt, decisions, history"],
        ["pm why src/auth.ts 42", "the same"],
        ["pm why src/auth.ts", "the whole file"],
        ["pm why src/auth.ts:42-50 --json", "nine lines, for scripts"],
      )}\n\nExits with 5 when the file or line does not exist.`,
    )
    .action(query(async () => (await import("./pm-why.ts")).whyCommand));
}
