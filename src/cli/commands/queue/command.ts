import { Argument, type Command } from "commander";
import { examples, query, run } from "../../frame.ts";
import { wholeNumber } from "../../values.ts";

/** `pm queue`: options and help; the code is loaded when it runs. */
export function declareQueue(program: Command): void {
  const queue = program
    .command("queue")
    .description("Show pending and failed jobs")
    .addHelpText(
      "after",
      examples(
        ["pm queue", "pending and failed jobs"],
        ["pm queue retry", "retry failed jobs"],
        ["pm queue drop 17", "discard a failed job"],
      ),
    );
  queue
    .command("show", { isDefault: true })
    .description("Show pending, running and failed jobs")
    .addHelpText("after", examples(["pm queue --json", "for scripts"]))
    .action(query(async () => (await import("./queue.ts")).queueCommand));
  const ids = () =>
    new Argument("[ids...]", "job numbers from `pm queue` (default: all)").argParser(
      (text: string, before: number[] | undefined) => [...(before ?? []), wholeNumber(text)],
    );
  queue
    .command("retry")
    .description("Retry failed jobs")
    .addArgument(ids())
    .addHelpText("after", examples(["pm queue retry", "all of it"], ["pm queue retry 17 18", "these"]))
    .action(run(async () => (await import("./queue.ts")).queueRetryCommand));
  queue
    .command("drop")
    .description("Discard failed jobs")
    .addArgument(ids())
    .addHelpText("after", examples(["pm queue drop", "all of it"], ["pm queue drop 17", "this one"]))
    .action(run(async () => (await import("./queue.ts")).queueDropCommand));
}
