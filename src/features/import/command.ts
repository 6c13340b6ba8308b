import type { Command } from "commander";
import { agentNames } from "../../agents/profiles.ts";
import { formatExamples, run } from "../../terminal/frame.ts";

export function declareImport(program: Command): void {
  program
    .command("import")
    .description("Import past sessions")
    .argument("<agent>", `the agent: ${agentNames.join(", ")}; or another source: aline, pommel`)
    .argument(
      "[path]",
      "a directory of transcripts, or one transcript (default: the agent's own); for aline: its database; for pommel: a file of `pm memory export --all`",
    )
    .option("--since <time>", 'only sessions that were active since this time: "2026-01-31", "last month"')
    .option("--all-projects", "also sessions of other projects")
    .option("--dry-run", "only show what would be imported")
    .option("-y, --yes", "do not ask")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm import claude", "this project's sessions with Claude Code"],
        ["pm import claude --dry-run", "how many there are, and how long it would take"],
        ['pm import claude --since "last month"', "only recent ones"],
        ["pm import claude ~/old-laptop/.claude/projects --all-projects", "from another directory"],
        ["pm import codex", "sessions with Codex CLI, archived ones too"],
        ["pm import atif runs", "trajectories of other tools, from a directory"],
        ["pm import pommel memory.jsonl", "what pm memory export --all wrote"],
        ["pm import aline", "sessions, events and commits from ~/.aline/db/aline.db"],
      )}\n\nCtrl-C stops watching; the import continues. Safe to run again: nothing is imported twice.`,
    )
    .action(run(async () => (await import("./pm-import.ts")).importCommand));
}
