import { type Command, Option } from "commander";
import { examples, query, run } from "../frame.ts";
import { collect, positiveInteger } from "./values.ts";

/** The commands that run and question the daemon. */
export function declareDaemonCommands(program: Command): void {
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
    .action(run(async () => (await import("../commands/daemon/start.ts")).startCommand));

  program
    .command("stop")
    .description("Stop the daemon until `pm start` or the next boot; the index stays searchable")
    .addHelpText("after", examples(["pm stop", "done when the daemon is gone"]))
    .action(run(async () => (await import("../commands/daemon/stop.ts")).stopCommand));

  program
    .command("restart")
    .description("Restart the daemon, or start it")
    .addHelpText(
      "after",
      examples(["pm restart", "with this shell's environment, for example a new API key"]),
    )
    .action(run(async () => (await import("../commands/daemon/restart.ts")).restartCommand));

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
    .action(run(async () => (await import("../commands/daemon/logs.ts")).logsCommand));

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
      examples(
        ["pm status", "once"],
        ["pm status --watch", "live, while it indexes"],
        ["pm status --json | jq .queue.is_idle", "true when everything is searchable"],
        ["pm status --skipped", "skipped files, and why"],
        ["pm status --check || pm start", "in a script or a health check"],
      ),
    )
    .action(
      query(
        async () => (await import("../commands/status/status.ts")).statusCommand,
        ({ watch }) => watch === true,
      ),
    );

  program
    .command("reindex")
    .description("Rebuild the index")
    .option("-p, --path <path>", "only this file, directory or glob; repeatable", collect)
    .addHelpText(
      "after",
      examples(
        ["pm reindex", "everything"],
        ["pm reindex --path src/db", "one directory"],
        ['pm reindex --path "**/*.md"', "some files"],
      ),
    )
    .action(run(async () => (await import("../commands/reindex/reindex.ts")).reindexCommand));
}
