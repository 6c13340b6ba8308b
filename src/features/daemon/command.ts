import { Argument, type Command } from "commander";
import { examples, query, run } from "../../terminal/frame.ts";
import { addOptions, positiveInteger, wholeNumber } from "../../terminal/options.ts";
import { indexFiles } from "../index/operation.ts";

/** `pm daemon` and its commands: options and help; the code is loaded when it runs. */
export function declareDaemon(program: Command): void {
  const daemon = program
    .command("daemon")
    .description("The process that keeps the index up to date and records sessions")
    .addHelpText(
      "after",
      examples(
        ["pm daemon start --wait", "and wait until everything is indexed"],
        ["pm daemon logs --follow", "see what it does"],
        ["pm daemon queue", "pending and failed jobs"],
      ),
    );

  daemon
    .command("start")
    .description("Start the daemon, which indexes the project and keeps the index up to date")
    .option("--foreground", "run it in this terminal, until Ctrl-C")
    .option("--wait", "wait until everything is indexed")
    .addHelpText(
      "after",
      examples(
        ["pm daemon start", "in the background"],
        ["pm daemon start --wait", "and wait until everything is indexed"],
        ["pm daemon start --foreground", "and see what it does"],
      ),
    )
    .action(run(async () => (await import("./pm-start.ts")).startCommand));

  daemon
    .command("stop")
    .description("Stop the daemon until `pm daemon start` or the next boot; the index stays searchable")
    .addHelpText("after", examples(["pm daemon stop", "done when the daemon is gone"]))
    .action(run(async () => (await import("./pm-start.ts")).stopCommand));

  daemon
    .command("restart")
    .description("Restart the daemon, or start it")
    .addHelpText(
      "after",
      examples(["pm daemon restart", "with this shell's environment, for example a new API key"]),
    )
    .action(run(async () => (await import("./pm-start.ts")).restartCommand));

  daemon
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
        ["pm daemon logs", "the last 100 entries"],
        ["pm daemon logs --follow", "follow the log"],
        ["pm daemon logs --since 10m", "the last ten minutes"],
        ["pm daemon logs --json | jq .msg", "each entry as a line of JSON"],
      ),
    )
    .action(run(async () => (await import("./pm-logs.ts")).logsCommand));

  declareQueue(daemon);

  addOptions(daemon.command("reindex").description("Rebuild the index"), indexFiles, {
    full: null,
    paths: "-p, --path <path>",
  })
    .addHelpText(
      "after",
      examples(
        ["pm daemon reindex", "everything"],
        ["pm daemon reindex --path src/db", "one directory"],
        ['pm daemon reindex --path "**/*.md"', "some files"],
      ),
    )
    .action(run(async () => (await import("../jobs/pm-queue.ts")).reindexCommand));

  daemon
    .command("version")
    .description("Print the versions of Pommel, its runtime and the running daemon")
    .addHelpText(
      "after",
      examples(["pm daemon version", "for a bug report"], ["pm --version", "Pommel's alone"]),
    )
    .action(run(async () => (await import("./pm-start.ts")).versionCommand));
}

function declareQueue(daemon: Command): void {
  const queue = daemon
    .command("queue")
    .description("Show pending and failed jobs, retry or discard them")
    .addHelpText(
      "after",
      examples(
        ["pm daemon queue", "pending and failed jobs"],
        ["pm daemon queue retry", "retry failed jobs"],
        ["pm daemon queue drop 17", "discard a failed job"],
      ),
    );
  queue
    .command("show", { isDefault: true })
    .description("Show pending, running and failed jobs")
    .addHelpText("after", examples(["pm daemon queue --json", "for scripts"]))
    .action(query(async () => (await import("../jobs/pm-queue.ts")).queueCommand));
  const ids = () =>
    new Argument("[ids...]", "job numbers from `pm daemon queue` (default: all)").argParser(
      (text: string, before: number[] | undefined) => [...(before ?? []), wholeNumber(text)],
    );
  queue
    .command("retry")
    .description("Retry failed jobs")
    .addArgument(ids())
    .addHelpText(
      "after",
      examples(["pm daemon queue retry", "all of it"], ["pm daemon queue retry 17 18", "these"]),
    )
    .action(run(async () => (await import("../jobs/pm-queue.ts")).queueRetryCommand));
  queue
    .command("drop")
    .description("Discard failed jobs")
    .addArgument(ids())
    .addHelpText(
      "after",
      examples(["pm daemon queue drop", "all of it"], ["pm daemon queue drop 17", "this one"]),
    )
    .action(run(async () => (await import("../jobs/pm-queue.ts")).queueDropCommand));
}
