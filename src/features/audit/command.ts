import { type Command, Option } from "commander";
import { channels } from "../../protocol/channel.ts";
import { formatExamples, run } from "../../terminal/frame.ts";
import { shared } from "../../terminal/options.ts";

/** `pm memory audit`. */
export function declareAudit(memory: Command): void {
  memory
    .command("audit")
    .description("Show the audit log: who asked what, and how much they got (needs audit.enabled)")
    .option("--since <time>", "only after this: a date, or words such as yesterday")
    .addOption(
      new Option(
        "--channel <channel>",
        "only questions that came through this channel; agent: a command in an agent's shell; mcp: an agent's tools",
      ).choices(channels),
    )
    .option(...shared.limit)
    .option("--verify", "check that no record was changed, added or removed")
    .addHelpText(
      "after",
      formatExamples(
        ["pm memory audit", "the last twenty questions"],
        ["pm memory audit --channel mcp --since yesterday", "what agents asked"],
        ["pm memory audit --verify", "whether the log is whole; exit code 1 if not"],
        ["pm memory audit --json", "for scripts"],
      ),
    )
    .action(run(async () => (await import("./pm-audit.ts")).auditCommand));
}
