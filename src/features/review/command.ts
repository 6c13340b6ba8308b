import { type Command, Option } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { addOptions } from "../../terminal/options.ts";
import { reviewChange } from "./operation.ts";

export function declareReview(program: Command): void {
  const review = program
    .command("review")
    .description("Show what a change does, who wrote each line of it, and for which prompt")
    .argument("[range]", "a commit, a branch, or main..HEAD (default: your uncommitted changes)");
  addOptions(review, reviewChange, { range: null, lines_only: null })
    .option("--patch", "every line, with a mark for who wrote it")
    .addOption(
      new Option("--format <format>", "how to print it; markdown is a comment for a pull request")
        .choices(["text", "markdown", "json"])
        .default("text"),
    )
    .option(
      "--merged-as <commit>",
      "the commit that a squash or rebase merge made of this range; the authors of the range's lines are written for that commit, as notes in refs/notes/ai",
    )
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm review", "your uncommitted changes"],
        ["pm review --patch", "line by line"],
        ["pm review HEAD", "the last commit"],
        ["pm review main..HEAD --format markdown", "a branch, for its pull request"],
        ["pm review main..topic --merged-as main", "after a squash merge"],
      )}\n\nOn the page: \`pm open review main..HEAD\`.`,
    )
    .action(
      query(async () => (await import("./pm-review.ts")).reviewCommand, {
        unless: ({ mergedAs }) => mergedAs !== undefined,
      }),
    );
}
