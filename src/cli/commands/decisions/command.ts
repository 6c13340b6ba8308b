import type { Command } from "commander";
import { examples, query } from "../../frame.ts";
import { collect, limit, list, since, until } from "../../values.ts";

/** `pm decisions` and `pm related`: options and help; the code is loaded when it runs. */
export function declareDecisions(program: Command): void {
  program
    .command("decisions")
    .description("List notes and decisions: latest first, or best match for a query")
    .argument("[query...]", "what it is about")
    .option(...since)
    .option(...until)
    .option("-f, --file <path>", "only this file, directory or glob; repeatable", collect)
    .option(...limit)
    .addHelpText(
      "after",
      examples(
        ["pm decisions", "the last ten"],
        ['pm decisions "why sqlite"', "best matches first"],
        ["pm decisions --file src/db", "decisions about these files"],
      ),
    )
    .action(query(async () => (await import("./decisions.ts")).decisionsCommand));

  program
    .command("related")
    .description("List the sessions that touched files (default: those with uncommitted changes)")
    .argument("[query...]", "also rank by topic")
    .option("-f, --files <paths>", "files, directories or globs, comma separated; repeatable", list)
    .option(...limit)
    .addHelpText(
      "after",
      examples(
        ["pm related", "sessions behind your uncommitted changes"],
        ["pm related --files src/db.ts,src/pool.ts", "sessions that touched these"],
        ['pm related --files src/db.ts "connection leak"', "and were about that"],
      ),
    )
    .action(query(async () => (await import("./related.ts")).relatedCommand));
}
