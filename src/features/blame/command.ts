import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { addOptions, collect } from "../../terminal/options.ts";
import { blame as blameOperation } from "./operation.ts";

export function declareBlame(program: Command): void {
  const blame = program
    .command("blame")
    .description("Show which agent or person wrote each line of a file, or the shares in a directory")
    .argument(
      "[file]",
      "the file, optionally with a range: src/auth.ts:10-30; or a directory (default: this one)",
    )
    .option(
      "-L, --lines <range>",
      "only these lines: 10,30 or 10,+5 or 10, (to the end); repeatable",
      collect,
    );
  addOptions(blame, blameOperation, {
    file: null,
    first_line: null,
    last_line: null,
    lines: null,
    texts: null,
  })
    .option("--summary", "only totals: by kind of author, session, model, person")
    .option("--explain", "the evidence for each line")
    .option("-p, --porcelain", "as `git blame --porcelain`, with Pommel's headers for each line")
    .option("--line-porcelain", "as `git blame --line-porcelain`, with the same headers")
    .option("--text", "with --json: include the text of each line")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm blame", "who wrote what in this directory"],
        ["pm blame src/auth.ts", "every line"],
        ["pm blame src/auth.ts -L 10,30", "a range"],
        ["pm blame src/auth.ts --summary", "shares"],
        ["pm blame src/auth.ts -L 10,30 --explain", "the evidence for each line"],
        ["pm blame src/auth.ts --line-porcelain", "for programs that read git's format"],
      )}\n\nExits with 5 when the file or line does not exist.`,
    )
    .action(
      query(
        async () => (await import("./pm-blame.ts")).blameCommand,
        // A daemon passes on text, not bytes.
        { unless: ({ porcelain, linePorcelain }) => porcelain === true || linePorcelain === true },
      ),
    );
}
