import { type Command, Option } from "commander";
import { examples, run } from "../../frame.ts";
import { addOptions } from "../../options.ts";
import { collect, numberRange } from "../../values.ts";

export const formats = ["markdown", "html", "json", "atif"] as const;

/** `pm export`: options and help; the code is loaded when it runs. */
export function declareExport(program: Command): void {
  const command = program
    .command("export")
    .description("Write sessions, decisions and notes to files to read or hand on")
    .addOption(new Option("--format <format>", "of the files (default: markdown)").choices(formats))
    .option("--session <id>", "this session; a prefix of its id is enough; repeatable", collect);
  addOptions(command, "sessions", { limit: null })
    .option("--to <path>", "a file for one session, a directory for several")
    .option("--full", "leave nothing out of long outputs and edits")
    .option("--turns <range>", "of one session only these: 3, 3-9, 3-", numberRange)
    .option("--no-output", "leave out what commands and tools printed")
    .option("--all", "the whole memory as JSON Lines, to import elsewhere: pm import pommel")
    .option("--force", "replace files that exist")
    .addHelpText(
      "after",
      `${examples(
        ["pm export --session 8ecde0fc", "one session, as Markdown on stdout"],
        ["pm export --session 8ecde0fc --format html --to chat.html", "one that a browser shows, to hand on"],
        ["pm export --session 8ecde0fc --turns 3-9 --no-output", "a part, without what commands printed"],
        ["pm export --session 8ecde0fc --format atif --to chat.json", "one that other tools read"],
        ['pm export --since "last week" --to week', "a directory: a file for each session, and an index"],
        ["pm export --all --to memory.jsonl", "everything, to keep or to import elsewhere"],
      )}\n\nAll texts are scrubbed again by the current rules. Exits with 5 when a session does not exist.`,
    )
    .action(run(async () => (await import("./export.ts")).exportCommand));
}
