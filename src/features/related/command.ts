import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { addOptions, list } from "../../terminal/options.ts";
import { findRelated } from "./operation.ts";

/** `pm code related`. */
export function declareRelated(code: Command): void {
  const related = code
    .command("related")
    .description(
      "List the sessions and decisions about files (default: those with uncommitted changes), with the code around them, or about a question",
    )
    .argument("[query...]", "what they are about; with files, ranks those that touched them")
    .option("-f, --files <paths>", "files, directories or globs, comma separated; repeatable", list);
  addOptions(related, findRelated, { q: null, file: null })
    .addHelpText(
      "after",
      formatExamples(
        ["pm code related", "sessions behind your uncommitted changes"],
        ["pm code related --files src/db.ts,src/pool.ts", "sessions that touched these"],
        ['pm code related --files src/db.ts "connection leak"', "and were about that"],
        ['pm code related "connection leak"', "about that, whatever they touched"],
      ),
    )
    .action(query(async () => (await import("./pm-related.ts")).relatedCommand));
}
