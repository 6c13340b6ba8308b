import type { Command } from "commander";
import { examples, run } from "../frame.ts";
import { collect, list, positiveInteger } from "./values.ts";

/** The commands that run, ask and question the daemon. */
export function declareDaemonCommands(program: Command): void {
  program
    .command("search")
    .description("Find code by meaning, by name or by words")
    .argument("<query...>", "what to look for; a leading `code` is optional")
    .option("-n, --limit <count>", "at most this many results", positiveInteger)
    .option("-l, --level <levels>", "only these levels: file, class, method, block, lines", list)
    .option("-p, --path <glob>", "only files that match, from the project's root; repeatable", collect)
    .option("--language <languages>", "only these languages, comma separated (ids or extensions)", list)
    .option("--full", "print whole chunks instead of the lines that match")
    .option("--explain", "print what each ranking signal contributed")
    .option("--metrics", "print how much reading the results save, compared with grep")
    .addHelpText(
      "after",
      `${examples(
        ['pm search "where do we retry failed requests"', "a question"],
        ["pm search parseConfig --level method", "a name, methods only"],
        ['pm search "auth" --path "src/**" --language ts', "in some files only"],
        ['pm search "rate limit" --json -n 3', "for scripts"],
      )}\n\nExits with 0 also when nothing is found.`,
    )
    .action(run(async () => (await import("../commands/search.ts")).searchCommand));

  program
    .command("start")
    .description("Start the daemon, which indexes the project and keeps the index up to date")
    .option("--foreground", "run it in this terminal, until Ctrl-C")
    .option("--wait", "return when everything is indexed")
    .addHelpText(
      "after",
      examples(
        ["pm start", "in the background"],
        ["pm start --wait", "and wait until everything is indexed"],
        ["pm start --foreground", "and see what it does"],
      ),
    )
    .action(run(async () => (await import("../commands/start.ts")).startCommand));

  program
    .command("stop")
    .description("Stop the daemon; what is indexed stays searchable")
    .addHelpText("after", examples(["pm stop", "done when the daemon is gone"]))
    .action(run(async () => (await import("../commands/stop.ts")).stopCommand));

  program
    .command("status")
    .description("Show the daemon, the index, what is being indexed, and whether all is well")
    .option("-w, --watch", "refresh every 2 seconds, until Ctrl-C")
    .option("--skipped", "list the files that are not indexed, and why")
    .addHelpText(
      "after",
      examples(
        ["pm status", "once"],
        ["pm status --watch", "live, while it indexes"],
        ["pm status --json | jq .queue.is_idle", "true when everything is searchable"],
        ["pm status --skipped", "what is left out, and why"],
      ),
    )
    .action(run(async () => (await import("../commands/status.ts")).statusCommand));

  program
    .command("reindex")
    .description("Index again what looks unchanged too")
    .option("-p, --path <path>", "only this file, directory or glob; repeatable", collect)
    .addHelpText(
      "after",
      examples(
        ["pm reindex", "everything"],
        ["pm reindex --path src/db", "one directory"],
        ['pm reindex --path "**/*.md"', "some files"],
      ),
    )
    .action(run(async () => (await import("../commands/reindex.ts")).reindexCommand));
}
