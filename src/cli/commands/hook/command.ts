import { Argument, type Command } from "commander";
import { agentNames, defaultAgentName } from "../../../agents/profiles.ts";
import { anyHook, gitHookNames, hookNames } from "../../../protocol/hooks.ts";
import { examples, run } from "../../frame.ts";

/** `pm hook`: options and help; the code is loaded when it runs. */
export function declareHook(program: Command): void {
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
    .action(run(async () => (await import("./hook.ts")).hookCommand));
}
