import { Argument, type Command } from "commander";
import { gitHookNames } from "../../protocol/git-hook-names.ts";
import { anyHook, hookNames } from "../../protocol/hook-names.ts";
import { examples, run } from "../frame.ts";

/** The commands that agents run, and those that tell them to. */
export function declareHookCommands(program: Command): void {
  program
    .command("enable")
    .description(
      "Let Claude Code tell Pommel of this project's conversations, and git of its commits (pm init does it, too)",
    )
    .option(
      "--local",
      "in .claude/settings.local.json, which is yours alone, instead of .claude/settings.json",
    )
    .option("--claude", "only Claude Code's hooks")
    .option("--git", "only git's hooks")
    .addHelpText(
      "after",
      examples(
        ["pm enable", "add the hooks that are missing to .claude/settings.json and to git's"],
        ["pm enable --git", "only to git's: .git/hooks, or where core.hooksPath says"],
        ["pm enable --local", "only for you, not for everybody who checks the project out"],
      ),
    )
    .action(run(async () => (await import("../commands/enable/enable.ts")).enableCommand));

  program
    .command("disable")
    .description(
      "Take all that pm init put into the files of agents and git's hooks out again, and nothing else",
    )
    .option("--global", "out of your own files in your home, which pm init --global changed")
    .addHelpText("after", examples(["pm disable", "as if they had never been there"]))
    .action(run(async () => (await import("../commands/enable/disable.ts")).disableCommand));

  program
    .command("uninstall")
    .description("Remove Pommel from all projects and from your own files, after showing what that is")
    .option("--dry-run", "only show what would be removed")
    .option("--keep-memory", "keep what is remembered: memory.db in each project")
    .option("-y, --yes", "do not ask")
    .addHelpText(
      "after",
      `${examples(
        ["pm uninstall --dry-run", "what there is, project by project"],
        ["pm uninstall", "remove it, after asking"],
        ["pm uninstall --keep-memory --yes", "for scripts, without losing sessions and notes"],
      )}\n\nRun it again at any time: it goes on with what is left. Then: npm uninstall -g pommel`,
    )
    .action(run(async () => (await import("../commands/uninstall/uninstall.ts")).uninstallCommand));

  // An agent takes some exit codes for a veto, so that no word after `pm hook` may be a usage error.
  const hook = new Argument("[hook]", "which hook it is")
    .choices([...hookNames, anyHook, ...gitHookNames.map((name) => `git-${name}`)])
    .argParser((name) => name);
  program
    .command("hook")
    .description("What Claude Code and git run: takes what a hook is told, and always exits with 0")
    .addArgument(hook)
    .argument("[words...]", "what git said to its hook")
    .option("--agent [name]", "whose hook it is: claude, codex, gemini (default: claude)")
    .allowExcessArguments()
    .allowUnknownOption()
    .addHelpText(
      "after",
      `${examples(
        ["pm hook pre-compact < payload.json", "before the context is compacted"],
        ["pm hook handle < payload.json", "whichever hook the payload names"],
        ["pm hook git-post-commit", "after a commit"],
      )}\n\nPrints nothing on stdout, which Claude Code would read.`,
    )
    .action(run(async () => (await import("../commands/hook/hook.ts")).hookCommand));
}
