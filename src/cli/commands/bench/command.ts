import type { Command } from "commander";
import { examples, run } from "../../frame.ts";
import { positiveInteger } from "../../values.ts";

/** `pm bench`: options and help; the code is loaded when it runs. */
export function declareBench(program: Command): void {
  program
    .command("bench")
    .description("Measure how well search finds your own code, using its doc comments and commits")
    .option(
      "-q, --queries <count>",
      "at most this many questions of each kind (default: 100)",
      positiveInteger,
    )
    .option("--model <embedder>", "measure this embedder instead of the configured one")
    .option("--misses", "print the worst misses")
    .addHelpText(
      "after",
      examples(
        ["pm bench", "100 doc comments and 100 commits, lexical, semantic and hybrid"],
        ["pm bench --queries 300 --misses", "more questions, and the misses"],
        ["pm bench --model ollama/bge-m3", "with another model"],
        ["pm bench --json > before.json", "to compare later"],
      ),
    )
    .action(run(async () => (await import("./bench.ts")).benchCommand));
}
