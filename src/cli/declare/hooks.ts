import { Argument, type Command } from "commander";
import { anyHook, hookNames } from "../../agents/claude/hook-names.ts";
import { examples, run } from "../frame.ts";

/** The commands that agents run, and those that tell them to. */
export function declareHookCommands(program: Command): void {
  program
    .command("enable")
    .description("Let Claude Code tell Pommel of this project's conversations (pm init does it, too)")
    .option(
      "--local",
      "in .claude/settings.local.json, which is yours alone, instead of .claude/settings.json",
    )
    .addHelpText(
      "after",
      examples(
        ["pm enable", "add the hooks that are missing to .claude/settings.json"],
        ["pm enable --local", "only for you, not for everybody who checks the project out"],
      ),
    )
    .action(run(async () => (await import("../commands/enable.ts")).enableCommand));

  program
    .command("disable")
    .description("Take Pommel's hooks out of Claude Code's settings again, and nothing else")
    .addHelpText("after", examples(["pm disable", "as if they had never been there"]))
    .action(run(async () => (await import("../commands/disable.ts")).disableCommand));

  // An agent takes some exit codes for a veto, so that no word after `pm hook` may be a usage error.
  const hook = new Argument("<hook>", "which hook it is")
    .choices([...hookNames, anyHook])
    .argParser((name) => name);
  program
    .command("hook")
    .description("What Claude Code runs: takes a hook's JSON from stdin, and always exits with 0")
    .addArgument(hook)
    .allowExcessArguments()
    .allowUnknownOption()
    .addHelpText(
      "after",
      `${examples(
        ["pm hook pre-compact < payload.json", "before the context is compacted"],
        ["pm hook handle < payload.json", "whichever hook the payload names"],
      )}\n\nPrints nothing on stdout, which Claude Code would read.`,
    )
    .action(run(async () => (await import("../commands/hook.ts")).hookCommand));
}
