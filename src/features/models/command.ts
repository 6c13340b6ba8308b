import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";
import { positiveInteger } from "../../terminal/options.ts";

/** `pm models`: options and help; the code is loaded when it runs. */
export function declareModels(program: Command): void {
  const models = program
    .command("models")
    .description("List, fetch, test and measure models for search by meaning (docs/models.md)")
    .addHelpText(
      "after",
      formatExamples(
        ["pm models", "every embedder, and whether it is usable now"],
        ["pm models pull ollama/nomic-embed-text", "fetch a model"],
        ["pm models test ollama/nomic-embed-text", "try it"],
        ["pm config set embed.code ollama/nomic-embed-text", "use it for code"],
      ),
    );

  models
    .command("list", { isDefault: true })
    .description("List embedders, whether they are usable, and what they are used for")
    .argument("[prefix]", "only embedders with this prefix")
    .addHelpText(
      "after",
      formatExamples(["pm models list --json", "for scripts"], ["pm models list ollama", "only those"]),
    )
    .action(run(async () => (await import("./pm-models-list.ts")).modelsListCommand));

  models
    .command("pull")
    .description("Fetch the model of an embedder")
    .argument("<embedder>", "the embedder, such as ollama/nomic-embed-text")
    .addHelpText(
      "after",
      formatExamples(
        ["pm models pull ollama", "Ollama's default model, nomic-embed-text"],
        ["pm models pull ollama/mxbai-embed-large", "another one"],
      ),
    )
    .action(run(async () => (await import("./pm-models-list.ts")).modelsPullCommand));

  models
    .command("test")
    .description("Try an embedder: is a question closer to a text that answers it than to one that does not?")
    .argument("[embedder]", "the embedder (default: the configured ones)")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm models test", "what is configured for code and for text"],
        ["pm models test openai/text-embedding-3-small", "another one; costs a fraction of a cent"],
      )}\n\nExits with 1 when an embedder cannot be used or its vectors make no sense.`,
    )
    .action(run(async () => (await import("./pm-models-test.ts")).modelsTestCommand));

  models
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
      formatExamples(
        ["pm models bench", "100 doc comments and 100 commits, lexical, semantic and hybrid"],
        ["pm models bench --queries 300 --misses", "more questions, and the misses"],
        ["pm models bench --model ollama/bge-m3", "with another model"],
        ["pm models bench --json > before.json", "to compare later"],
      ),
    )
    .action(run(async () => (await import("./pm-models-bench.ts")).benchCommand));
}
