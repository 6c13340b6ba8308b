import type { Command } from "commander";
import { examples, query } from "../frame.ts";
import { collect, resultLimit, wholeNumber } from "./values.ts";

/** The commands that tell whose lines are whose, and why they are there. */
export function declareBlameCommands(program: Command): void {
  program
    .command("why")
    .description(
      "Explain why a line exists: who wrote it, what was asked and decided, whether it is still current",
    )
    .argument("<place>", "a file with a line or range: src/auth.ts:42, src/auth.ts:42-50")
    .option("--rev <commit>", "the file as of this commit")
    .option("--full", "print prompts and lines in full")
    .addHelpText(
      "after",
      `${examples(
        ["pm why src/auth.ts:42", "a line: its commit, turn, prompt, decisions, history"],
        ["pm why src/auth.ts:42-50 --json", "nine lines, for scripts"],
      )}\n\nExits with 5 when the file or line does not exist.`,
    )
    .action(query(async () => (await import("../commands/why/why.ts")).whyCommand));

  program
    .command("blame")
    .description("Show who wrote each line of a file: an agent, with its session and turn, or a person")
    .argument("<file>", "the file, optionally with a range: src/auth.ts:10-30")
    .option("-L, --lines <range>", "only these: 10,30 or 10,+5 or 10, (to the end); repeatable", collect)
    .option("--rev <commit>", "the file as of this commit")
    .option("--summary", "only totals: by kind of author, session, model, person")
    .option("--text", "with --json: include the text of each line")
    .addHelpText(
      "after",
      `${examples(
        ["pm blame src/auth.ts", "every line"],
        ["pm blame src/auth.ts -L 10,30", "a range"],
        ["pm blame src/auth.ts --summary", "shares"],
      )}\n\nExits with 5 when the file or line does not exist.`,
    )
    .action(query(async () => (await import("../commands/blame/blame.ts")).blameCommand));

  program
    .command("stats")
    .description("Show the shares of agents and people in committed lines, by author, directory and week")
    .option("--since <time>", 'only commits since: "2026-01-31", "last week", "3 days ago"')
    .option("--until <time>", "only commits until")
    .option("-p, --path <path>", "only this file, directory or glob; repeatable", collect)
    .option("--dir-depth <levels>", "directories this deep (default: 2)", wholeNumber)
    .option("--all", "include commits outside HEAD's history")
    .option("-n, --limit <count>", "rows per table (default: 10)", resultLimit)
    .addHelpText(
      "after",
      examples(
        ["pm stats", "HEAD's history, as far as it is analysed"],
        ['pm stats --since "last month" --path src', "last month, in src"],
        ["pm stats --json", "for scripts"],
      ),
    )
    .action(query(async () => (await import("../commands/stats/stats.ts")).statsCommand));
}
