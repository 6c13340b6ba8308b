import type { Command } from "commander";
import { examples, run } from "../../frame.ts";
import { positiveInteger } from "../../values.ts";

/** `pm version`, `pm start`, `pm stop`, `pm restart` and `pm logs`: options and help; the code is loaded when it runs. */
export function declareDaemon(program: Command): void {
  program
    .command("version")
    .description("Print the versions of Pommel, its runtime and the running daemon")
    .addHelpText("after", examples(["pm version", "for a bug report"], ["pm --version", "Pommel's alone"]))
    .action(run(async () => (await import("./version.ts")).versionCommand));

  program
    .command("start")
    .description("Start the daemon, which indexes the project and keeps the index up to date")
    .option("--foreground", "run it in this terminal, until Ctrl-C")
    .option("--wait", "wait until everything is indexed")
    .addHelpText(
      "after",
      examples(
        ["pm start", "in the background"],
        ["pm start --wait", "and wait until everything is indexed"],
        ["pm start --foreground", "and see what it does"],
      ),
    )
    .action(run(async () => (await import("./start.ts")).startCommand));

  program
    .command("stop")
    .description("Stop the daemon until `pm start` or the next boot; the index stays searchable")
    .addHelpText("after", examples(["pm stop", "done when the daemon is gone"]))
    .action(run(async () => (await import("./stop.ts")).stopCommand));

  program
    .command("restart")
    .description("Restart the daemon, or start it")
    .addHelpText(
      "after",
      examples(["pm restart", "with this shell's environment, for example a new API key"]),
    )
    .action(run(async () => (await import("./stop.ts")).restartCommand));

  program
    .command("logs")
    .description("Print the daemon's log")
    .option("-f, --follow", "follow new entries until Ctrl-C")
    .option("--since <time>", "only entries since: 10m, 2h, an ISO date or time, yesterday")
    .option(
      "-n, --lines <count>",
      "at most this many of the newest entries (default: 100, or all with --since)",
      positiveInteger,
    )
    .addHelpText(
      "after",
      examples(
        ["pm logs", "the last 100 entries"],
        ["pm logs --follow", "follow the log"],
        ["pm logs --since 10m", "the last ten minutes"],
        ["pm logs --json | jq .msg", "each entry as a line of JSON"],
      ),
    )
    .action(run(async () => (await import("./logs.ts")).logsCommand));
}
