import type { Command } from "commander";
import { examples, run } from "../../frame.ts";
import { addOptions } from "../../options.ts";

/** `pm reindex`: options and help; the code is loaded when it runs. */
export function declareReindex(program: Command): void {
  const reindex = program.command("reindex").description("Rebuild the index");
  addOptions(reindex, "index", { full: null, paths: "-p, --path <path>" })
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
