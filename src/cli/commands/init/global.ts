import { userPlace } from "../../../agents/setup/record.ts";
import { PommelError } from "../../../project/errors.ts";
import type { CommandContext } from "../../frame.ts";
import { addAgents, agentsToSetUp } from "./agents.ts";
import { chooseSetup, type InitOptions } from "./choices.ts";
import { type AgentOutcome, type ChangedPaths, interruptedCode, stepPrinter } from "./steps.ts";

/** The JSON of `pm init --global`; paths are relative to `home`. */
interface GlobalInitResult extends ChangedPaths {
  home: string;
  agents: AgentOutcome[];
}

/** `pm init --global`: sets up the user's agents for all projects; creates no project. */
export async function initGlobal(
  { output }: CommandContext,
  options: InitOptions,
): Promise<number | undefined> {
  const { languages, start, import: imports, local, team } = options;
  if (languages !== undefined || start || imports || local || team) {
    throw new PommelError(
      "usage",
      "--global sets up agents only, no project.",
      "Run `pm init` in the project, too.",
    );
  }
  const place = userPlace();
  const choices = await chooseSetup(null, place, options, output);
  if (choices === null) return interruptedCode;
  const { wanted, asked } = choices;
  if (!asked) output.print(output.colors.bold(`Pommel for all projects of ${place.dir}`));
  const result: GlobalInitResult = { home: place.dir, created: [], changed: [], already: [], agents: [] };
  const steps = stepPrinter(output, asked ? null : agentsToSetUp(place, wanted).length);
  result.agents = await addAgents({ place, wanted, asked: true, steps, result, output });
  output.result(result, "\nNext:\n  pm init    in each project you work on");
}
