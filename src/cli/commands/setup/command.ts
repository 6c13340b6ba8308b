import type { Command } from "commander";
import { setupNames } from "../../../agents/profiles.ts";
import { examples, run } from "../../frame.ts";

/** `pm setup`: options and help; the code is loaded when it runs. */
export function declareSetup(program: Command): void {
  program
    .command("setup")
    .description("Set Pommel up for you, once for all projects")
    .option("--all", "record the sessions and commits of all projects")
    .option("--named", "record only projects that you name with `pm init`")
    .option(
      "--agent <names>",
      `set up these agents, comma separated: ${setupNames.join(", ")} (default: those found)`,
    )
    .option("--allow", "allow agents to call Pommel's tools without asking each time")
    .option("--no-import", "do not import past sessions")
    .option("-n, --dry-run", "show what would change")
    .option("-y, --yes", "do not ask: all projects, the agents that are found, past sessions")
    .addHelpText(
      "after",
      examples(
        ["pm setup", "asks one question, then sets up the agents that it finds"],
        ["pm setup --yes", "the same without asking, for all projects"],
        ["pm setup --named", "record only what `pm init` names"],
        ["pm setup --dry-run", "every change that it would make"],
      ),
    )
    .action(run(async () => (await import("./setup.ts")).setupCommand));
}
