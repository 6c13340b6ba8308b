import { Argument, type Command } from "commander";
import { examples, query, run } from "../frame.ts";
import { wholeNumber } from "./values.ts";

/** The commands that change what is remembered of conversations. */
export function declareMemoryCommands(program: Command): void {
  program
    .command("import")
    .description("Take in conversations from before Pommel came here")
    .argument("<agent>", "whose: claude, codex, gemini; or what another tool remembered: aline")
    .argument(
      "[path]",
      "a directory of transcripts, or one of them; else where the agent keeps them. Of aline: its database",
    )
    .option("--since <time>", 'only sessions that went on since then: "2026-01-31", "last month"')
    .option("--all-projects", "also sessions that ran elsewhere")
    .option("--dry-run", "only say what there is")
    .option("-y, --yes", "do not ask")
    .addHelpText(
      "after",
      `${examples(
        ["pm import claude", "this project's sessions with Claude Code"],
        ["pm import claude --dry-run", "how many there are, and how long it would take"],
        ['pm import claude --since "last month"', "only lately"],
        ["pm import claude ~/old-laptop/.claude/projects --all-projects", "from somewhere else"],
        ["pm import codex", "with Codex CLI, also what it archived"],
        ["pm import aline", "sessions, events and commits from ~/.aline/db/aline.db"],
      )}\n\nCtrl-C ends the watching only. Run it again at any time: what is taken in already is not read again.`,
    )
    .action(run(async () => (await import("../commands/import/import.ts")).importCommand));

  declareQueue(program);

  program
    .command("note")
    .description("Remember something: found by searches, listed by `pm annotations`, kept for good")
    .argument("<text...>", "what to remember; - reads it from stdin")
    .option("--session <id>", "what session it is about; the beginning of its id is enough")
    .addHelpText(
      "after",
      examples(
        ['pm note "v2 released; the old API stays until May"', "about the project"],
        ['pm note --session 8ecde0fc "this fixed it"', "about a session"],
        ["git log -1 --format=%B | pm note -", "several lines"],
      ),
    )
    .action(run(async () => (await import("../commands/notes/note.ts")).noteCommand));

  program
    .command("forget")
    .description("Remove something from memory for good, after showing what")
    .option("--session <id>", "a session and those of its subagents; the beginning of its id is enough")
    .option("--turn <id>", "one turn of a session, SESSION:NUMBER")
    .option("--note <id>", "a note; the beginning of its id is enough")
    .option("--since <time>", 'what was said from then on: "2026-01-31", "yesterday"')
    .option("--until <time>", "what was said up to then")
    .option("--match <pattern>", "whatever matches a regular expression (RE2), wherever it stands")
    .option("--dry-run", "only show what would go")
    .option("-y, --yes", "do not ask")
    .addHelpText(
      "after",
      `${examples(
        ["pm forget --session 8ecde0fc", "a session"],
        ["pm forget --turn 8ecde0fc:7", "one turn of it"],
        ['pm forget --match "Project Falcon" --dry-run', "what a pattern would take away"],
        ["pm forget --since yesterday --yes", "for scripts"],
      )}\n\nIt leaves no trace in Pommel's files. The agent's own transcripts stay as they are.`,
    )
    .action(run(async () => (await import("../commands/forget/forget.ts")).forgetCommand));

  program
    .command("scrub")
    .description("Scrub what is stored by the rules in force now, or check what they find")
    .option("--check [file]", "only say what is found: in a file, in stdin (-), or in what is stored")
    .option("--init", "write the file with all patterns, to edit, unless it is there")
    .addHelpText(
      "after",
      `${examples(
        ["pm scrub --check notes.md", "what would be taken out of a file, and where"],
        ["pm scrub --check", "what would be taken out of what is stored"],
        ["pm scrub", "take it out"],
        ["pm scrub --init", "create ~/.config/pommel/scrubbing-patterns.toml"],
      )}\n\n--check exits with 1 when something is found. Secrets are never printed.`,
    )
    .action(run(async () => (await import("../commands/scrub/scrub.ts")).scrubCommand));
}

function declareQueue(program: Command): void {
  const queue = program
    .command("queue")
    .description("Show what waits to be read, and what was given up")
    .addHelpText(
      "after",
      examples(
        ["pm queue", "how far it is"],
        ["pm queue retry", "try again what was given up"],
        ["pm queue drop 17", "let go of it"],
      ),
    );
  queue
    .command("show", { isDefault: true })
    .description("Show how far it is")
    .addHelpText("after", examples(["pm queue --json", "for scripts"]))
    .action(query(async () => (await import("../commands/queue/queue.ts")).queueCommand));
  const ids = () =>
    new Argument("[ids...]", "jobs, by the numbers that `pm queue` shows; else all").argParser(
      (text: string, before: number[] | undefined) => [...(before ?? []), wholeNumber(text)],
    );
  queue
    .command("retry")
    .description("Try again what was given up")
    .addArgument(ids())
    .addHelpText("after", examples(["pm queue retry", "all of it"], ["pm queue retry 17 18", "these"]))
    .action(run(async () => (await import("../commands/queue/queue.ts")).queueRetryCommand));
  queue
    .command("drop")
    .description("Let go of what was given up")
    .addArgument(ids())
    .addHelpText("after", examples(["pm queue drop", "all of it"], ["pm queue drop 17", "this one"]))
    .action(run(async () => (await import("../commands/queue/queue.ts")).queueDropCommand));
}
