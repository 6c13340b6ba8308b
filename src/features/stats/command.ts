import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { addOptions, groupOptions, shared } from "../../terminal/options.ts";
import { showStats } from "./operation.ts";

/** `pm code stats`. */
export function declareStats(code: Command): void {
  const stats = code
    .command("stats")
    .description("Show the shares of agents and people in committed lines, by author, directory and week");
  addOptions(stats, showStats, { depth: "--dir-depth <levels>" }).option(
    shared.limit[0],
    "rows per table (default: 10)",
    shared.limit[2],
  );
  stats.option(
    "--cost",
    "print what sessions cost instead, as `pm cost` does (only with --since, --until and --limit)",
  );
  groupOptions(stats, { "Which commits": ["since", "until", "path", "all"] });
  stats
    .addHelpText(
      "after",
      formatExamples(
        ["pm code stats", "HEAD's history, as far as it is analysed"],
        ['pm code stats --since "last month" --path src', "last month, in src"],
        ["pm code stats --cost", "what sessions cost, day by day"],
        ["pm code stats --json", "for scripts"],
      ),
    )
    .action(query(async () => (await import("./pm-stats.ts")).statsCommand));
}
