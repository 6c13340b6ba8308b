import { Argument, type Command } from "commander";
import { agentNames, defaultAgentName } from "../../agents/profiles.ts";
import { gitHookNames } from "../../protocol/git-hook-names.ts";
import { anyHook, hookNames } from "../../protocol/hook-names.ts";
import { examples, run } from "../frame.ts";

/** The commands that agents run, and those that tell them to. */
export function declareHookCommands(program: Command): void {
  program
    .command("enable")
    .description("Install hooks for Claude Code and git (pm init does this too)")
    .option("--local", "use .claude/settings.local.json (only you) instead of .claude/settings.json")
    .option("--claude", "only Claude Code's hooks")
    .option("--git", "only git's hooks")
    .addHelpText(
      "after",
      examples(
        ["pm enable", "add missing hooks to .claude/settings.json and git"],
        ["pm enable --git", "only git's: .git/hooks or core.hooksPath"],
        ["pm enable --local", "only for you, not for the whole team"],
      ),
    )
    .action(run(async () => (await import("../commands/enable/enable.ts")).enableCommand));

  program
    .command("disable")
    .description("Remove everything that pm init added to agents' files and git hooks")
    .option("--global", "from the files in your home that pm init --global changed")
    .addHelpText("after", examples(["pm disable", "files are as before"]))
    .action(run(async () => (await import("../commands/enable/disable.ts")).disableCommand));

  program
    .command("uninstall")
    .description("Remove Pommel from all projects and from your home, after showing what will go")
    .option("--dry-run", "only show what would be removed")
    .option("--keep-memory", "keep each project's memory (memory.db)")
    .option("-y, --yes", "do not ask")
    .addHelpText(
      "after",
      `${examples(
        ["pm uninstall --dry-run", "what would go, by project"],
        ["pm uninstall", "remove it, after asking"],
        ["pm uninstall --keep-memory --yes", "for scripts, keeping sessions and notes"],
      )}\n\nSafe to run again. Finally: npm uninstall -g pommel`,
    )
    .action(run(async () => (await import("../commands/uninstall/uninstall.ts")).uninstallCommand));

  // An agent takes some exit codes for a veto, so that no word after `pm hook` may be a usage error.
  const hook = new Argument("[hook]", "the hook's name")
    .choices([...hookNames, anyHook, ...gitHookNames.map((name) => `git-${name}`)])
    .argParser((name) => name);
  program
    .command("hook")
    .description("Handle a hook of an agent or git (run by them); always exits with 0")
    .addArgument(hook)
    .argument("[words...]", "the arguments of the git hook")
    .option("--agent [name]", `the agent: ${agentNames.join(", ")} (default: ${defaultAgentName})`)
    .allowExcessArguments()
    .allowUnknownOption()
    .addHelpText(
      "after",
      `${examples(
        ["pm hook pre-compact < payload.json", "before the context is compacted"],
        ["pm hook handle < payload.json", "whichever hook the payload names"],
        ["pm hook git-post-commit", "after a commit"],
      )}\n\nPrints only automatic context on stdout, which the agent reads.`,
    )
    .action(run(async () => (await import("../commands/hook/hook.ts")).hookCommand));
}
