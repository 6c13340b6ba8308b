import { Argument, type Command } from "commander";
import { agentNames } from "../../agents/profiles.ts";
import { examples, query, run } from "../frame.ts";
import { wholeNumber } from "./values.ts";

/** The commands that change what is remembered of conversations. */
export function declareMemoryCommands(program: Command): void {
  program
    .command("import")
    .description("Import past sessions")
    .argument("<agent>", `the agent: ${agentNames.join(", ")}; or another tool's memory: aline`)
    .argument(
      "[path]",
      "a directory of transcripts, or one transcript (default: the agent's own); for aline: its database",
    )
    .option("--since <time>", 'only sessions active since: "2026-01-31", "last month"')
    .option("--all-projects", "also sessions of other projects")
    .option("--dry-run", "only show what there is")
    .option("-y, --yes", "do not ask")
    .addHelpText(
      "after",
      `${examples(
        ["pm import claude", "this project's sessions with Claude Code"],
        ["pm import claude --dry-run", "how many, and how long it would take"],
        ['pm import claude --since "last month"', "only lately"],
        ["pm import claude ~/old-laptop/.claude/projects --all-projects", "from another directory"],
        ["pm import codex", "sessions with Codex CLI, archived ones too"],
        ["pm import aline", "sessions, events and commits from ~/.aline/db/aline.db"],
      )}\n\nCtrl-C stops watching; the import continues. Safe to run again: nothing is imported twice.`,
    )
    .action(run(async () => (await import("../commands/import/import.ts")).importCommand));

  declareQueue(program);

  program
    .command("note")
    .description("Save a note: searchable, listed by `pm notes`, kept for good")
    .argument("<text...>", "the note; - reads it from stdin")
    .option("--session <id>", "the session it is about; a prefix of its id is enough")
    .addHelpText(
      "after",
      examples(
        ['pm note "v2 released; the old API stays until May"', "a note on the project"],
        ['pm note --session 8ecde0fc "this fixed it"', "a note on a session"],
        ["git log -1 --format=%B | pm note -", "several lines"],
      ),
    )
    .action(run(async () => (await import("../commands/notes/note.ts")).noteCommand));

  program
    .command("forget")
    .description("Remove something from the memory for good, after showing what")
    .option("--session <id>", "a session and its subagents; a prefix of its id is enough")
    .option("--turn <id>", "one turn of a session, SESSION:NUMBER")
    .option("--note <id>", "a note; a prefix of its id is enough")
    .option("--since <time>", 'everything since: "2026-01-31", "yesterday"')
    .option("--until <time>", "everything until")
    .option("--match <pattern>", "everything that matches a regular expression (RE2)")
    .option("--dry-run", "only show what would be removed")
    .option("-y, --yes", "do not ask")
    .addHelpText(
      "after",
      `${examples(
        ["pm forget --session 8ecde0fc", "a session"],
        ["pm forget --turn 8ecde0fc:7", "one turn of it"],
        ['pm forget --match "Project Falcon" --dry-run', "what a pattern would remove"],
        ["pm forget --since yesterday --yes", "for scripts"],
      )}\n\nLeaves no trace in Pommel's files. The agent's own transcripts are not touched.`,
    )
    .action(run(async () => (await import("../commands/forget/forget.ts")).forgetCommand));

  program
    .command("scrub")
    .description("Scrub the memory by the current rules, or check what they find")
    .option("--check [file]", "only report secrets: in a file, in stdin (-), or in the memory")
    .option("--init", "create an editable file with all patterns, unless it exists")
    .addHelpText(
      "after",
      `${examples(
        ["pm scrub --check notes.md", "secrets in a file, and where"],
        ["pm scrub --check", "secrets in the memory"],
        ["pm scrub", "remove them"],
        ["pm scrub --init", "create ~/.config/pommel/scrubbing-patterns.toml"],
      )}\n\n--check exits with 1 when it finds something. Secrets are never printed.`,
    )
    .action(run(async () => (await import("../commands/scrub/scrub.ts")).scrubCommand));
}

function declareQueue(program: Command): void {
  const queue = program
    .command("queue")
    .description("Show pending and failed jobs")
    .addHelpText(
      "after",
      examples(
        ["pm queue", "pending and failed jobs"],
        ["pm queue retry", "retry failed jobs"],
        ["pm queue drop 17", "discard a failed job"],
      ),
    );
  queue
    .command("show", { isDefault: true })
    .description("Show pending, running and failed jobs")
    .addHelpText("after", examples(["pm queue --json", "for scripts"]))
    .action(query(async () => (await import("../commands/queue/queue.ts")).queueCommand));
  const ids = () =>
    new Argument("[ids...]", "job numbers from `pm queue` (default: all)").argParser(
      (text: string, before: number[] | undefined) => [...(before ?? []), wholeNumber(text)],
    );
  queue
    .command("retry")
    .description("Retry failed jobs")
    .addArgument(ids())
    .addHelpText("after", examples(["pm queue retry", "all of it"], ["pm queue retry 17 18", "these"]))
    .action(run(async () => (await import("../commands/queue/queue.ts")).queueRetryCommand));
  queue
    .command("drop")
    .description("Discard failed jobs")
    .addArgument(ids())
    .addHelpText("after", examples(["pm queue drop", "all of it"], ["pm queue drop 17", "this one"]))
    .action(run(async () => (await import("../commands/queue/queue.ts")).queueDropCommand));
}
