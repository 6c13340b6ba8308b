import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";
import { addOptions } from "../../terminal/options.ts";
import { indexFiles } from "./operation.ts";

/** `pm daemon reindex`. */
export function declareReindex(daemon: Command): void {
  addOptions(daemon.command("reindex").description("Rebuild the index"), indexFiles, {
    full: null,
    paths: "-p, --path <path>",
  })
    .addHelpText(
      "after",
      formatExamples(
        ["pm daemon reindex", "everything"],
        ["pm daemon reindex --path src/db", "one directory"],
        ['pm daemon reindex --path "**/*.md"', "some files"],
      ),
    )
    .action(run(async () => (await import("./pm-reindex.ts")).reindexCommand, { startsDaemon: true }));
}
