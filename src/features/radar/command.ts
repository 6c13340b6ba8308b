import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";

/** `pm radar`. */
export function declareRadar(program: Command): void {
  program
    .command("radar")
    .description("Show which functions agents are changing now, in all checkouts")
    .addHelpText(
      "after",
      `${formatExamples(["pm radar", "agents at work, their uncommitted changes, and overlaps"], ["pm radar --json", "the same for scripts"])}

All worktrees and clones of the project on this machine are covered. Exits with 5 if no agent is at work.`,
    )
    .action(query(async () => (await import("./pm-radar.ts")).radarCommand));
}
