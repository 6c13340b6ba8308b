import type { Command } from "commander";
import { examples, run } from "../../frame.ts";

/** `pm projects`: options and help; the code is loaded when it runs. */
export function declareProjects(program: Command): void {
  const projects = program
    .command("projects")
    .description("List this machine's Pommel projects")
    .addHelpText(
      "after",
      examples(
        ["pm projects", "where they are, and when each was used"],
        ["pm projects forget", "remove deleted projects from the list"],
      ),
    );
  projects
    .command("list", { isDefault: true })
    .description("List projects, most recently used first")
    .addHelpText("after", examples(["pm projects list --json", "for scripts"]))
    .action(run(async () => (await import("./projects.ts")).projectsListCommand));
  projects
    .command("forget")
    .description("Remove a project from the list; its files are not touched")
    .argument("[path]", "its root (default: all deleted projects)")
    .addHelpText("after", examples(["pm projects forget ~/code/old", "it returns when it is used again"]))
    .action(run(async () => (await import("./projects.ts")).projectsForgetCommand));
}
