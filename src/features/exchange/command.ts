import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";
import { shared } from "../../terminal/options.ts";

/** `pm share attribution`. */
export function declareAttribution(share: Command): void {
  const attribution = share
    .command("attribution")
    .description("Exchange the authors of lines with other tools")
    .addHelpText(
      "after",
      formatExamples(
        ["pm share attribution export --git-ai main..HEAD", "notes that Git AI and others read"],
        ["pm share attribution import traces.jsonl", "what another tool recorded"],
      ),
    );

  attribution
    .command("export")
    .description("Write the authors of lines in an open format")
    .argument(
      "[range]",
      "a range as for git log, such as main..HEAD; a single revision means only that commit (default: the whole history of HEAD)",
    )
    .option("--git-ai", "as notes on the commits, refs/notes/ai (Git AI standard 3.0.0)")
    .option("--notes", "as notes for people, a line per session, refs/notes/pommel (git log --notes=pommel)")
    .option("--agent-trace", "as trace records, one on each line (Agent Trace 0.1)")
    .option("--to <file>", "where trace records go (default: stdout)")
    .option("--force", "also replace notes that another tool wrote, or a file that exists")
    .option(...shared.dryRun)
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm share attribution export --git-ai", "notes on all commits whose lines have an author"],
        ["pm share attribution export --notes main..HEAD", "notes to read with `git log --notes=pommel`"],
        ["pm share attribution export --git-ai HEAD --dry-run", "what the last commit would get"],
        ["git push origin refs/notes/ai", "share the notes"],
        ["git update-ref -d refs/notes/ai", "remove all notes, those of other tools, too"],
        ["pm share attribution export --agent-trace main..HEAD --to traces.jsonl", "a file to hand on"],
      )}\n\nAn unknown line gets no entry in a note of Git AI, and is unknown in a trace record. A second run changes nothing, and the\ncommand that takes the notes back is printed.`,
    )
    .action(run(async () => (await import("./pm-attribution.ts")).attributionExportCommand));

  attribution
    .command("import")
    .description("Import the authors of lines that another tool recorded")
    .argument("<file>", "trace records of Agent Trace: one, an array, or one on each line")
    .option(...shared.dryRun)
    .addHelpText(
      "after",
      `${formatExamples(
        [
          "pm share attribution import traces.jsonl",
          "lines whose author is unknown here get the authors in this file",
        ],
        ["pm share attribution import traces.jsonl --dry-run", "how many lines that would be"],
      )}\n\nPommel's own evidence stays, and what is imported is labelled as another tool's word. Notes of Git AI need no import.`,
    )
    .action(run(async () => (await import("./pm-attribution.ts")).attributionImportCommand));
}
