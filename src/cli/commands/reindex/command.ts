import type { Command } from "commander";
import { examples, run } from "../../frame.ts";
import { collect } from "../../values.ts";

/** `pm reindex`: options and help; the code is loaded when it runs. */
export function declareReindex(program: Command): void {
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
    .action(run(async () => (await import("./reindex.ts")).reindexCommand));
}
