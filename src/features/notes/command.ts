import type { Command } from "commander";
import { formatExamples, query, run } from "../../terminal/frame.ts";
import { addOptions } from "../../terminal/options.ts";
import { listNotes, writeNote } from "./operation.ts";

/** `pm note`. */
export function declareNote(program: Command): void {
  const note = program
    .command("note")
    .description("Save a note, for you to find again and for agents to read")
    .argument(
      "[text...]",
      "the note (- reads it from stdin); with FILE:LINE or FILE:LINE-LINE before it, a note on lines",
    )
    .option("--undo", "remove the latest note; an agent can remove only its own");
  addOptions(note, writeNote, {
    note: null,
    transcript_path: null,
    branch: null,
    by: null,
    at: null,
    session_id: "--session <id>",
    decision: "--decision <text>",
  })
    .addHelpText(
      "after",
      formatExamples(
        ['pm note "v2 released; the old API stays until May"', "a note on the project"],
        ['pm note src/auth.ts:12-20 "keep the order: tokens first"', "a note on lines; it moves with them"],
        ['pm note --session 8ecde0fc "this fixed it"', "a note on a session"],
        [
          'pm note --rejected --session 8ecde0fc "it blocks the event loop"',
          "shown whenever the session is found",
        ],
        ["git log -1 --format=%B | pm note -", "several lines"],
        ["pm note --undo", "remove the latest note, even one that you wrote in a prompt"],
      ),
    )
    .action(run(async () => (await import("./pm-notes.ts")).noteCommand, { startsDaemon: true }));
}

/** `pm memory notes`. */
export function declareNotes(memory: Command): void {
  addOptions(
    memory.command("notes").description('List notes ("Note to Pommel: ..." or `pm note`), latest first'),
    listNotes,
  )
    .addHelpText(
      "after",
      formatExamples(
        ["pm memory notes", "the last ten"],
        ["pm memory notes --search caching", "notes about caching"],
        ['pm memory notes --since "last week" --json', "for scripts"],
      ),
    )
    .action(query(async () => (await import("./pm-notes.ts")).notesCommand));
}
