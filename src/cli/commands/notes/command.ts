import type { Command } from "commander";
import { examples, query, run } from "../../frame.ts";
import { addOptions } from "../../options.ts";

/** `pm notes` and `pm note`: options and help; the code is loaded when it runs. */
export function declareNotes(program: Command): void {
  const notes = program
    .command("notes")
    .alias("annotations")
    .description('List notes ("Note to Pommel: ..." or `pm note`), latest first');
  addOptions(notes, "annotations")
    .addHelpText(
      "after",
      examples(
        ["pm notes", "the last ten"],
        ["pm notes --search caching", "notes about caching"],
        ['pm notes --since "last week" --json', "for scripts"],
      ),
    )
    .action(query(async () => (await import("./notes.ts")).annotationsCommand));

  const note = program
    .command("note")
    .description("Save a note: searchable, listed by `pm notes`, kept for good")
    .argument("<text...>", "the note; - reads it from stdin");
  addOptions(note, "annotate", {
    ...{ note: null, transcript_path: null, branch: null },
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
      ),
    )
    .action(run(async () => (await import("./notes.ts")).noteCommand));
}
