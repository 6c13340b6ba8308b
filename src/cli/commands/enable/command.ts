import type { Command } from "commander";
import { examples, run } from "../../frame.ts";

/** `pm enable`: options and help; the code is loaded when it runs. */
export function declareEnable(program: Command): void {
  program
    .command("enable")
    .description("Record this project again, with hooks for Claude Code and git (pm init does this too)")
    .option("--local", "use .claude/settings.local.json (only you), also where the team's files were used")
    .option("--claude", "only Claude Code's hooks")
    .option("--git", "only git's hooks")
    .addHelpText(
      "after",
      examples(
        ["pm enable", "add missing hooks to agents' settings and git"],
        ["pm enable --git", "only git's: .git/hooks or core.hooksPath"],
        ["pm enable --local", "only for you, not for the whole team"],
      ),
    )
    .action(run(async () => (await import("./enable.ts")).enableCommand));
}

/** `pm disable` */
export function declareDisable(program: Command): void {
  program
    .command("disable")
    .description("Stop recording, and remove what pm init added to agents' files and git hooks")
    .option("--global", "in all projects, and from your own files that pm setup changed")
    .addHelpText("after", examples(["pm disable", "nothing more is recorded here; files are as before"]))
    .action(run(async () => (await import("./disable.ts")).disableCommand));
}
