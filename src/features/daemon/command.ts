import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";
import { positiveInteger } from "../../terminal/options.ts";

/** `pm daemon start`, `stop`, `restart`, `logs` and `version`. */
export function declareDaemon(daemon: Command): void {
  daemon
    .command("start")
    .description("Start the daemon, which indexes the project and keeps the index up to date")
    .option("--foreground", "run it in this terminal, until Ctrl-C")
    .option("--wait", "wait until everything is indexed")
    .addHelpText(
      "after",
      formatExamples(
        ["pm daemon start", "in the background"],
        ["pm daemon start --wait", "and wait until everything is indexed"],
        ["pm daemon start --foreground", "and see what it does"],
      ),
    )
    .action(run(async () => (await import("./pm-start.ts")).startCommand));

  daemon
    .command("stop")
    .description("Stop the daemon until `pm daemon start` or the next boot; the index stays searchable")
    .addHelpText("after", formatExamples(["pm daemon stop", "returns when the daemon has ended"]))
    .action(run(async () => (await import("./pm-start.ts")).stopCommand));

  daemon
    .command("restart")
    .description("Restart the daemon, or start it")
    .addHelpText(
      "after",
      formatExamples(["pm daemon restart", "with this shell's environment, for example a new API key"]),
    )
    .action(run(async () => (await import("./pm-start.ts")).restartCommand));

  daemon
    .command("logs")
    .description("Print the daemon's log")
    .option("-f, --follow", "follow new entries until Ctrl-C")
    .option("--since <time>", "only entries since this time: 10m, 2h, an ISO date or time, or yesterday")
    .option(
      "-n, --lines <count>",
      "at most this many of the newest entries (default: 100, or all with --since)",
      positiveInteger,
    )
    .addHelpText(
      "after",
      formatExamples(
        ["pm daemon logs", "the last 100 entries"],
        ["pm daemon logs --follow", "follow the log"],
        ["pm daemon logs --since 10m", "the last ten minutes"],
        ["pm daemon logs --json | jq .msg", "each entry as a line of JSON"],
      ),
    )
    .action(run(async () => (await import("./pm-logs.ts")).logsCommand));

  daemon
    .command("version")
    .description("Print the versions of Pommel, its runtime and the running daemon")
    .addHelpText(
      "after",
      formatExamples(["pm daemon version", "for a bug report"], ["pm --version", "Pommel's alone"]),
    )
    .action(run(async () => (await import("./pm-start.ts")).versionCommand));
}
