import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";
import { shared } from "../../terminal/options.ts";

export function declareProjects(program: Command): void {
  const projects = program
    .command("projects")
    .description("List this machine's Pommel projects")
    .addHelpText(
      "after",
      formatExamples(
        ["pm projects", "where they are checked out, and when each was used"],
        ["pm projects split .", "keep a fork apart from the project it comes from"],
      ),
    );
  projects
    .command("list", { isDefault: true })
    .description("List projects, most recently used first")
    .addHelpText("after", formatExamples(["pm projects list --json", "for scripts"]))
    .action(run(async () => (await import("./pm-projects.ts")).projectsListCommand, { looks: true }));
  projects
    .command("join")
    .description("Let a checkout share the memory of another project")
    .argument("<checkout>", "its directory")
    .argument("<project>", "one of its directories, its id or its name")
    .addHelpText(
      "after",
      formatExamples(["pm projects join ~/code/copy ~/code/app", "both share one memory from now on"]),
    )
    .action(run(async () => (await import("./pm-projects.ts")).projectsJoinCommand));
  projects
    .command("split")
    .description("Make a checkout a project of its own")
    .argument("<checkout>", "its directory")
    .addHelpText(
      "after",
      formatExamples(["pm projects split ~/code/fork", "it has a memory of its own from now on"]),
    )
    .action(run(async () => (await import("./pm-projects.ts")).projectsSplitCommand));
  projects
    .command("forget")
    .description("Forget a project: its memory, its backups and its index")
    .argument("<project>", "one of its directories, its id or its name")
    .option("-n, --dry-run", "show what would be deleted")
    .option("-y, --yes", "do not ask")
    .option(...shared.forGood)
    .addHelpText(
      "after",
      formatExamples(
        [
          "pm projects forget ~/code/old",
          "sessions, notes, index: everything; `pm memory undo` brings it back",
        ],
        ["pm projects forget ~/code/old --for-good", "at once, its backups included"],
      ),
    )
    .action(run(async () => (await import("./pm-projects.ts")).projectsForgetCommand));
}
