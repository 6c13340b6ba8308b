import type { Command } from "commander";
import { examples, query } from "../../frame.ts";
import { collect, resultLimit, wholeNumber } from "../../values.ts";

/** `pm stats`: options and help; the code is loaded when it runs. */
export function declareStats(program: Command): void {
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
    .action(query(async () => (await import("./stats.ts")).statsCommand));
}
