import { type Command, Option } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { addOptions, groupOptions } from "../../terminal/options.ts";
import { sumUp } from "./operation.ts";

export function declareDigest(program: Command): void {
  const digest = program
    .command("digest")
    .description("Sum up what happened lately: sessions, commits, decisions, unfinished work, tokens");
  addOptions(digest, sumUp, { by: null })
    .addOption(
      new Option("--by <what>", "group by branch, or by project on this machine").choices([
        "branch",
        "project",
      ]),
    )
    .addOption(
      new Option("--format <format>", "how to print it").choices(["text", "markdown"]).default("text"),
    );
  groupOptions(digest, {
    "Which sessions": ["since", "until", "branch", "author", "mine", "topic", "limit"],
  });
  digest
    .addHelpText(
      "after",
      formatExamples(
        ["pm digest", "since yesterday"],
        ["pm digest --since friday --by branch", "branch by branch"],
        ["pm digest --since 7d --by project", "of all projects"],
        ["pm digest --since monday --format markdown", "to paste into a message"],
      ),
    )
    .action(
      query(async () => (await import("./pm-digest.ts")).digestCommand, {
        unless: ({ by }) => by === "project",
      }),
    );
}
