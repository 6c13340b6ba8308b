import type { Command } from "commander";
import { examples, query } from "../frame.ts";
import { collect, resultLimit, wholeNumber } from "./values.ts";

/** The commands that tell whose lines are whose, and why they are there. */
export function declareBlameCommands(program: Command): void {
  program
    .command("why")
    .description("Tell why lines are there: who wrote them, what was asked and decided, what became of it")
    .argument("<place>", "a file with a line or lines: src/auth.ts:42, src/auth.ts:42-50")
    .option("--rev <commit>", "the file as it was there")
    .option("--full", "print prompts and lines in full")
    .addHelpText(
      "after",
      `${examples(
        ["pm why src/auth.ts:42", "a line: its commit, turn, prompt, decisions, history"],
        ["pm why src/auth.ts:42-50 --json", "nine lines, for scripts"],
      )}\n\nExits with 5 when there is no such file or line. What is not known is said to be unknown.`,
    )
    .action(query(async () => (await import("../commands/why/why.ts")).whyCommand));

  program
    .command("blame")
    .description("Tell line by line who wrote a file: an agent, with its session and turn, or a person")
    .argument("<file>", "the file; with lines, too: src/auth.ts:10-30")
    .option("-L, --lines <range>", "only these: 10,30 or 10,+5 or 10, (to the end); repeatable", collect)
    .option("--rev <commit>", "the file as it was there")
    .option("--summary", "only sum up: by kind of author, session, model, person")
    .option("--text", "with --json: the text of each line as well")
    .addHelpText(
      "after",
      `${examples(
        ["pm blame src/auth.ts", "every line"],
        ["pm blame src/auth.ts -L 10,30", "some of them"],
        ["pm blame src/auth.ts --summary", "shares"],
      )}\n\nExits with 5 when there is no such file or line.`,
    )
    .action(query(async () => (await import("../commands/blame/blame.ts")).blameCommand));

  program
    .command("stats")
    .description("Tell whose lines were committed: agents' and people's, by author, directory and week")
    .option("--since <time>", 'only commits from then on: "2026-01-31", "last week", "3 days ago"')
    .option("--until <time>", "only commits up to then")
    .option("-p, --path <path>", "only this file, directory or glob; repeatable", collect)
    .option("--dir-depth <levels>", "directories this deep (default: 2)", wholeNumber)
    .option("--all", "also commits that are not in HEAD's history")
    .option("-n, --limit <count>", "at most this many rows of each table (default: 10)", resultLimit)
    .addHelpText(
      "after",
      examples(
        ["pm stats", "all of HEAD's history, as far as it was looked at"],
        ['pm stats --since "last month" --path src', "lately, in src"],
        ["pm stats --json", "for scripts"],
      ),
    )
    .action(query(async () => (await import("../commands/stats/stats.ts")).statsCommand));
}
