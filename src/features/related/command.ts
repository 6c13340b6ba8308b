import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { addOptions, list } from "../../terminal/options.ts";
import { findRelated } from "./operation.ts";

/** `pm code related`. */
export function declareRelated(code: Command): void {
  const related = code
    .command("related")
    .description(
      "List the sessions and decisions about a question, or about files and the code around them (default: files with uncommitted changes)",
    )
    .argument(
      "[query...]",
      "what the sessions are about; together with --files, it ranks the sessions that touched these files",
    )
    .option("-f, --files <paths>", "files, directories or globs, comma separated; repeatable", list);
  addOptions(related, findRelated, { q: null, file: null })
    .addHelpText(
      "after",
      formatExamples(
        ["pm code related", "sessions behind your uncommitted changes"],
        ["pm code related --files src/db.ts,src/pool.ts", "sessions that touched these files"],
        [
          'pm code related --files src/db.ts "connection leak"',
          "sessions that touched this file, the ones about the leak first",
        ],
        ['pm code related "connection leak"', "sessions about the leak, whichever files they touched"],
      ),
    )
    .action(query(async () => (await import("./pm-related.ts")).relatedCommand));
}
