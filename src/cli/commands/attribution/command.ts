import type { Command } from "commander";
import { examples, run } from "../../frame.ts";

/** `pm attribution`: options and help; the code is loaded when it runs. */
export function declareAttribution(program: Command): void {
  const attribution = program
    .command("attribution")
    .description("Exchange who wrote which lines with other tools")
    .addHelpText(
      "after",
      examples(
        ["pm attribution export --git-ai main..HEAD", "notes that Git AI and others read"],
        ["pm attribution import traces.jsonl", "what another tool recorded"],
      ),
    );

  attribution
    .command("export")
    .description("Write who wrote the lines of commits in an open format")
    .argument(
      "[range]",
      "commits as git log takes them: main..HEAD; one revision is that commit (default: all of HEAD's)",
    )
    .option("--git-ai", "as notes on the commits, refs/notes/ai (Git AI standard 3.0.0)")
    .option("--notes", "as notes for people, a line per session, refs/notes/pommel (git log --notes=pommel)")
    .option("--agent-trace", "as trace records, one on each line (Agent Trace 0.1)")
    .option("--to <file>", "where trace records go (default: stdout)")
    .option("--force", "also replace notes that another tool wrote, or a file that exists")
    .option("--dry-run", "only show which notes would be written")
    .addHelpText(
      "after",
      `${examples(
        ["pm attribution export --git-ai", "notes on all commits whose lines have an author"],
        ["pm attribution export --notes main..HEAD", "notes to read with `git log --notes=pommel`"],
        ["pm attribution export --git-ai HEAD --dry-run", "what the last commit would get"],
        ["git push origin refs/notes/ai", "share the notes"],
        ["git update-ref -d refs/notes/ai", "remove all notes, those of other tools, too"],
        ["pm attribution export --agent-trace main..HEAD --to traces.jsonl", "a file to hand on"],
      )}\n\nAn unknown line gets no entry in a note of Git AI, and is unknown in a trace record. A second run changes nothing, and the\ncommand that takes the notes back is printed.`,
    )
    .action(run(async () => (await import("./export.ts")).attributionExportCommand));

  attribution
    .command("import")
    .description("Import who wrote the lines of commits, as another tool recorded it")
    .argument("<file>", "trace records of Agent Trace: one, an array, or one on each line")
    .option("--dry-run", "only show what would be imported")
    .addHelpText(
      "after",
      `${examples(
        ["pm attribution import traces.jsonl", "lines that are unknown here get its authors"],
        ["pm attribution import traces.jsonl --dry-run", "how many"],
      )}\n\nPommel's own evidence stays, and what is imported is labelled as another tool's word. Notes of Git AI need no import.`,
    )
    .action(run(async () => (await import("./import.ts")).attributionImportCommand));
}
