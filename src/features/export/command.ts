import { type Command, Option } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";
import { addOptions, collect, parseNumberRange } from "../../terminal/options.ts";
import { listSessions } from "../sessions/operation.ts";

export const exportFormats = ["markdown", "html", "json", "atif"] as const;

/** `pm memory export`. */
export function declareExport(memory: Command): void {
  const exported = memory
    .command("export")
    .description("Write sessions, decisions and notes to files to read or keep")
    .addOption(
      new Option("--format <format>", "the format of the files (default: markdown)").choices(exportFormats),
    )
    .option("--to <path>", "a file for one session, a directory for several")
    .option("--full", "leave nothing out of long outputs and edits")
    .option("--turns <range>", "only these turns of one session: 3, 3-9, 3-", parseNumberRange)
    .option("--no-output", "leave out what commands and tools printed")
    .option("--all", "the whole memory as JSON Lines, to import elsewhere: pm import pommel")
    .option("--force", "replace files that exist")
    .optionsGroup("Which sessions:")
    .option("--session <id>", "this session; a prefix of its id is enough; repeatable", collect);
  addOptions(exported, listSessions, { limit: null, author: null, team: null, mine: null, topic: null })
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm memory export --session 8ecde0fc", "one session, as Markdown on stdout"],
        ["pm memory export --session 8ecde0fc --format atif --to chat.json", "one that other tools read"],
        [
          'pm memory export --since "last week" --to week',
          "a directory: a file for each session, and an index",
        ],
        ["pm memory export --all --to memory.jsonl", "everything, to keep or to import elsewhere"],
      )}\n\nAll texts are scrubbed once more with the current patterns. Exits with 5 when a session does not exist.`,
    )
    .action(run(async () => (await import("./pm-export.ts")).exportCommand));
}

/** `pm share session`. */
export function declareShareSession(share: Command): void {
  share
    .command("session")
    .description("Write one session to a file to share: a page that any browser shows, without Pommel")
    .argument("<id>", "the session; a prefix of its id is enough")
    .addOption(
      new Option("--format <format>", "the format of the file").choices(exportFormats).default("html"),
    )
    .option("--to <path>", "the file (default: stdout)")
    .option("--full", "leave nothing out of long outputs and edits")
    .option("--turns <range>", "only these turns: 3, 3-9, 3-", parseNumberRange)
    .option("--no-output", "leave out what commands and tools printed")
    .option("--force", "replace a file that exists")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm share session 8ecde0fc --to chat.html", "a page to hand on"],
        ["pm share session 8ecde0fc --turns 3-9 --no-output", "a part, without what commands printed"],
        ["pm share session 8ecde0fc --format markdown", "to paste into a message"],
      )}\n\nAll texts are scrubbed once more with the current patterns. Exits with 5 when the session does not exist.`,
    )
    .action(run(async () => (await import("./pm-export.ts")).shareSessionCommand));
}
