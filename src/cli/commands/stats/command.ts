import type { Command } from "commander";
import { examples, query } from "../../frame.ts";
import { addOptions } from "../../options.ts";
import { resultLimit } from "../../values.ts";

/** `pm stats`: options and help; the code is loaded when it runs. */
export function declareStats(program: Command): void {
  const stats = program
    .command("stats")
    .description("Show the shares of agents and people in committed lines, by author, directory and week");
  addOptions(stats, "stats", { depth: "--dir-depth <levels>" })
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
