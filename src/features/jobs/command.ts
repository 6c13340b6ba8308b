import { Argument, type Command } from "commander";
import { formatExamples, query, run } from "../../terminal/frame.ts";
import { wholeNumber } from "../../terminal/options.ts";

/** `pm daemon queue`. */
export function declareQueue(daemon: Command): void {
  const queue = daemon
    .command("queue")
    .description("Show pending and failed jobs, retry or discard them")
    .addHelpText(
      "after",
      formatExamples(
        ["pm daemon queue", "pending and failed jobs"],
        ["pm daemon queue retry", "retry failed jobs"],
        ["pm daemon queue drop 17", "discard a failed job"],
      ),
    );
  queue
    .command("show", { isDefault: true })
    .description("Show pending, running and failed jobs")
    .addHelpText("after", formatExamples(["pm daemon queue --json", "for scripts"]))
    .action(query(async () => (await import("./pm-queue.ts")).queueCommand, { looks: true }));
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
      formatExamples(["pm daemon queue retry", "all of it"], ["pm daemon queue retry 17 18", "these"]),
    )
    .action(run(async () => (await import("./pm-queue.ts")).queueRetryCommand));
  queue
    .command("drop")
    .description("Discard failed jobs")
    .addArgument(ids())
    .addHelpText(
      "after",
      formatExamples(["pm daemon queue drop", "all of it"], ["pm daemon queue drop 17", "this one"]),
    )
    .action(run(async () => (await import("./pm-queue.ts")).queueDropCommand));
}
