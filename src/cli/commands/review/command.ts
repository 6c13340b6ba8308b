import type { Command } from "commander";
import { examples, query } from "../../frame.ts";
import { addOptions } from "../../options.ts";

/** `pm review`: options and help; the code is loaded when it runs. */
export function declareReview(program: Command): void {
  const review = program
    .command("review")
    .description("Show what a change does, who wrote each line of it, and for which prompt")
    .argument("[range]", "a commit, a branch, or main..HEAD (default: what is not committed)");
  addOptions(review, "review", { range: null })
    .option("--patch", "every line, with a mark for who wrote it")
    .option("--markdown", "as a comment for a pull request")
    .addHelpText(
      "after",
      `${examples(
        ["pm review", "what is not committed yet"],
        ["pm review --patch", "line by line"],
        ["pm review HEAD", "the last commit"],
        ["pm review main..HEAD --markdown", "a branch, for its pull request"],
      )}\n\nOn the page: \`pm open review main..HEAD\`.`,
    )
    .action(query(async () => (await import("./review.ts")).reviewCommand));
}
