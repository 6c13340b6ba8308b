import { type Command, Option } from "commander";
import { daysInTrash } from "../../protocol/days-in-trash.ts";
import { doors } from "../../protocol/door.ts";
import { examples, query, run } from "../../terminal/frame.ts";
import { addOptions, collect, numberRange, shared } from "../../terminal/options.ts";
import { listDecisions } from "../decisions/operation.ts";
import { forget } from "../forget/operation.ts";
import { findLostText } from "../lost/operation.ts";
import { listSessions } from "../sessions/operation.ts";
import { listNotes, writeNote } from "./operation.ts";

export const exportFormats = ["markdown", "html", "json", "atif"] as const;

/** `pm memory` and its commands: options and help; the code is loaded when it runs. */
export function declareMemory(program: Command): void {
  const memory = program
    .command("memory")
    .description("What is remembered, and its upkeep")
    .addHelpText(
      "after",
      examples(
        ["pm memory decisions", "what was decided here"],
        ["pm memory backup", "copy sessions, notes and commits"],
        ["pm memory export --session 8ecde0fc", "a session as Markdown"],
        ['pm memory forget --match "Project Falcon" --dry-run', "what a pattern would remove"],
      ),
    );
  declareReading(memory);
  declareCopies(memory);
  declareRemoval(memory);
  declareProtection(memory);
}

/** `pm note` */
export function declareNote(program: Command): void {
  const note = program
    .command("note")
    .description("Save a note: searchable, listed by `pm memory notes`, kept for good")
    .argument("[text...]", "the note; - reads it from stdin")
    .option("--undo", "take the latest one back; an agent takes back only its own");
  addOptions(note, writeNote, {
    ...{ note: null, transcript_path: null, branch: null, by: null },
    session_id: "--session <id>",
    decision: "--decision <text>",
  })
    .addHelpText(
      "after",
      examples(
        ['pm note "v2 released; the old API stays until May"', "a note on the project"],
        ['pm note --session 8ecde0fc "this fixed it"', "a note on a session"],
        ['pm note --rejected --session 8ecde0fc "it blocks the event loop"', "shown with every later hit"],
        ["git log -1 --format=%B | pm note -", "several lines"],
        ["pm note --undo", "forget the latest one, also of a prompt"],
      ),
    )
    .action(run(async () => (await import("./pm-notes.ts")).noteCommand));
}

function declareReading(memory: Command): void {
  addOptions(
    memory.command("notes").description('List notes ("Note to Pommel: ..." or `pm note`), latest first'),
    listNotes,
  )
    .addHelpText(
      "after",
      examples(
        ["pm memory notes", "the last ten"],
        ["pm memory notes --search caching", "notes about caching"],
        ['pm memory notes --since "last week" --json', "for scripts"],
      ),
    )
    .action(query(async () => (await import("./pm-notes.ts")).annotationsCommand));

  const decisions = memory
    .command("decisions")
    .description("List notes and decisions: latest first, or best match for a query")
    .argument("[query...]", "what it is about");
  addOptions(decisions, listDecisions, { q: null, file: "-f, --file <path>" })
    .addHelpText(
      "after",
      examples(
        ["pm memory decisions", "the last ten"],
        ['pm memory decisions "why sqlite"', "best matches first"],
        ["pm memory decisions --file src/db", "decisions about these files"],
      ),
    )
    .action(query(async () => (await import("./pm-notes.ts")).decisionsCommand));

  const lost = memory
    .command("lost")
    .description(
      "Show text of a file that an edit replaced or a checkout destroyed, and that no commit holds",
    )
    .argument("<file>", "the file, which may be gone");
  addOptions(lost, findLostText, { file: null })
    .addHelpText(
      "after",
      `${examples(
        ["pm memory lost src/auth.ts", "the latest first; nothing is written"],
        ["pm memory lost src/auth.ts --json | jq -r '.texts[0].lines[]'", "only the text"],
      )}\n\nExits with 5 when nothing of it was lost.`,
    )
    .action(query(async () => (await import("./pm-notes.ts")).lostCommand));
}

function declareCopies(memory: Command): void {
  const backup = memory
    .command("backup")
    .description("Copy the memory: sessions, notes and commits")
    .option("--to <path>", "a directory, or a file that does not exist yet")
    .addHelpText(
      "after",
      `${examples(
        ["pm memory backup", "beside the memory, or into backup.folder"],
        ["pm memory backup --to /mnt/usb", "into another directory"],
        ["pm memory backup --to before.db", "as a file"],
        ["pm memory backup list", "what can be restored"],
      )}\n\nThe daemon makes one a day by itself. The code index needs none: it can always be rebuilt.`,
    )
    .action(run(async () => (await import("../backup/pm-backup.ts")).backupCommand));

  backup
    .command("list")
    .description("List the backups that `pm memory restore` can restore")
    .addHelpText("after", examples(["pm memory backup list", "newest first"]))
    .action(run(async () => (await import("../backup/pm-backup.ts")).listCommand));

  memory
    .command("restore")
    .description("Put a backup in the place of the memory, after showing what changes")
    .argument("[backup]", "its number or name in `pm memory backup list`, or a file (default: the newest)")
    .option("--as <project>", "this project's name, for a backup of another one, or from another home")
    .option(...shared.dryRun)
    .option(...shared.yes)
    .addHelpText(
      "after",
      examples(
        ["pm memory restore --dry-run", "what the newest backup would change"],
        ["pm memory restore 2", "the second of `pm memory backup list`"],
        ["pm memory restore /mnt/usb/before.db --yes", "a file, for scripts"],
        ["pm memory restore other.db --as my-app", "another project's or home's, as the memory of this one"],
        ["pm memory undo", "back to what it was before"],
      ),
    )
    .action(run(async () => (await import("../backup/pm-backup.ts")).restoreCommand));

  const exported = memory
    .command("export")
    .description("Write sessions, decisions and notes to files to read or keep")
    .addOption(new Option("--format <format>", "of the files (default: markdown)").choices(exportFormats))
    .option("--session <id>", "this session; a prefix of its id is enough; repeatable", collect);
  addOptions(exported, listSessions, { limit: null, author: null, team: null, mine: null, topic: null })
    .option("--to <path>", "a file for one session, a directory for several")
    .option("--full", "leave nothing out of long outputs and edits")
    .option("--turns <range>", "of one session only these: 3, 3-9, 3-", numberRange)
    .option("--no-output", "leave out what commands and tools printed")
    .option("--all", "the whole memory as JSON Lines, to import elsewhere: pm import pommel")
    .option("--force", "replace files that exist")
    .addHelpText(
      "after",
      `${examples(
        ["pm memory export --session 8ecde0fc", "one session, as Markdown on stdout"],
        ["pm memory export --session 8ecde0fc --format atif --to chat.json", "one that other tools read"],
        [
          'pm memory export --since "last week" --to week',
          "a directory: a file for each session, and an index",
        ],
        ["pm memory export --all --to memory.jsonl", "everything, to keep or to import elsewhere"],
      )}\n\nAll texts are scrubbed again by the current rules. Exits with 5 when a session does not exist.`,
    )
    .action(run(async () => (await import("../export/pm-export.ts")).exportCommand));
}

function declareRemoval(memory: Command): void {
  addOptions(
    memory.command("forget").description("Remove something from the memory, after showing what"),
    forget,
    { turn: "--turn <id>", annotation: "--note <id>", pattern: "--match <pattern>" },
  )
    .option(...shared.yes)
    .addHelpText(
      "after",
      `${examples(
        ["pm memory forget --session 8ecde0fc", "a session"],
        ["pm memory forget --turn 8ecde0fc:7", "one turn of it"],
        ['pm memory forget --match "Project Falcon" --dry-run', "what a pattern would remove"],
        ["pm memory forget --since yesterday --yes", "for scripts"],
        ["pm memory forget --turn 8ecde0fc:7 --for-good", "at once, and with all backups"],
      )}\n\nWhat goes is kept in the trash for ${daysInTrash} days, where \`pm memory undo\` finds it. --for-good and --match keep nothing:
no trash and no backup of this memory. The agent's own transcripts are not touched.`,
    )
    .action(run(async () => (await import("../scrub/pm-scrub.ts")).forgetCommand));

  memory
    .command("undo")
    .description("Bring back what a command took away: forget, restore, projects forget and join, uninstall")
    .argument("[number]", "of `pm memory undo --list` (default: the latest that was taken here)")
    .option("--list", "show what can be brought back")
    .addHelpText(
      "after",
      `${examples(
        ["pm memory undo", "the latest thing"],
        ["pm memory undo --list", "what there is, and until when"],
        ["pm memory undo 3", "a certain one"],
      )}\n\nWhat is in its place by now goes into the trash. Exits with 5 when there is nothing to bring back.`,
    )
    .action(run(async () => (await import("../trash/pm-undo.ts")).undoCommand));

  memory
    .command("scrub")
    .description("Scrub the memory by the current rules, or check what they find")
    .option("--check [file]", "only report secrets: in a file, in stdin (-), or in the memory")
    .option("--review", "show what was nearly redacted, the most secret-looking first, to decide on")
    .option("--llm", "let the model of scrub.llm read the sessions that were stored before it was asked")
    .option("--init", "create an editable file with all patterns, unless it exists")
    .addHelpText(
      "after",
      `${examples(
        ["pm memory scrub --check notes.md", "secrets in a file, and where"],
        ["pm memory scrub --check", "secrets in the memory"],
        ["pm memory scrub", "remove them"],
        ["pm memory scrub --review", "what was nearly redacted: of each value its beginning and its length"],
        ["pm memory scrub --llm", "queue what the language model has not read yet"],
        ["pm memory scrub --init", "create ~/.config/pommel/scrubbing-patterns.toml"],
      )}\n\n--check exits with 1 when it finds something. Secrets are never printed.`,
    )
    .action(run(async () => (await import("../scrub/pm-scrub.ts")).scrubCommand));
}

function declareProtection(memory: Command): void {
  memory
    .command("encrypt")
    .description("Encrypt what is stored: memory, index, backups, audit log, spool and log")
    .option("--key <source>", "file, file:PATH, keychain or passphrase (default: storage.key)")
    .option("--rotate", "replace the key; what is stored is not written anew")
    .addHelpText(
      "after",
      `${examples(
        ["pm memory encrypt", "with a new key file in ~/.config/pommel/keys"],
        ["pm memory encrypt --key passphrase", "asks for it now, and at each `pm daemon start`"],
        ["pm memory encrypt --rotate --key keychain", "move the key into the system's keychain"],
        ["pm config set --global storage.encrypt true", "every project, when its daemon starts"],
      )}\n\nKeep a copy of the key in another place: without it, everything that is encrypted is lost.`,
    )
    .action(run(async () => (await import("../encryption/pm-encrypt.ts")).encryptCommand));

  memory
    .command("decrypt")
    .description("Store everything without encryption again")
    .addHelpText("after", examples(["pm memory decrypt", "the key itself stays where it is"]))
    .action(run(async () => (await import("../encryption/pm-encrypt.ts")).decryptCommand));

  memory
    .command("audit")
    .description("Show who asked what, and how much was given; with audit.enabled")
    .option("--since <time>", "only after this: a date, or words such as yesterday")
    .addOption(new Option("--door <door>", "only through this door").choices(doors))
    .option(...shared.limit)
    .option("--verify", "check that no record was changed, added or removed")
    .addHelpText(
      "after",
      examples(
        ["pm memory audit", "the last twenty questions"],
        ["pm memory audit --door mcp --since yesterday", "what agents asked"],
        ["pm memory audit --verify", "whether the log is whole; exit code 1 if not"],
        ["pm memory audit --json", "for scripts"],
      ),
    )
    .action(run(async () => (await import("../audit/pm-audit.ts")).auditCommand));
}
