import { type Command, Option } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";

export function declareStatus(program: Command): void {
  program
    .command("status")
    .description("Show the daemon, the index, current work and health")
    .option("-w, --watch", "refresh every 2 seconds until Ctrl-C")
    .option("--skipped", "list files that are not indexed, and why")
    .addOption(
      new Option("--check", "fail (exit code 4) when the daemon does not answer").conflicts([
        "watch",
        "skipped",
      ]),
    )
    .addHelpText(
      "after",
      formatExamples(
        ["pm status", "once"],
        ["pm status --watch", "live, while it indexes"],
        ["pm status --json | jq .queue.is_idle", "true when everything is searchable"],
        ["pm status --skipped", "skipped files, and why"],
        ["pm status --check || pm daemon start", "in a script or a health check"],
      ),
    )
    .action(
      query(async () => (await import("./pm-status.ts")).statusCommand, {
        unless: ({ watch }) => watch === true,
        looks: true,
      }),
    );
}
