import { userPlace } from "../../agents/setup/place.ts";
import { PommelError } from "../../project/errors.ts";
import type { CommandContext } from "../frame.ts";
import { type AgentOptions, addAgents, agentsToSetUp, chooseParts } from "./init-agents.ts";
import { type AgentOutcome, type ChangedPaths, stepPrinter } from "./init-steps.ts";

/** The JSON of `pm init --global`; paths are relative to `home`. */
interface GlobalInitResult extends ChangedPaths {
  home: string;
  agents: AgentOutcome[];
}

/** `pm init --global`: tells the user's agents of Pommel, wherever they run; it makes no project. */
export async function initGlobal(
  { output }: CommandContext,
  options: AgentOptions & { languages?: string; start?: boolean },
): Promise<void> {
  if (options.languages !== undefined || options.start) {
    throw new PommelError(
      "usage",
      "--global sets up agents only, no project.",
      "Run `pm init` in the project, too.",
    );
  }
  const place = userPlace();
  output.print(output.colors.bold(`Pommel for all projects of ${place.dir}`));
  const wanted = await chooseParts(place, options, output);
  const result: GlobalInitResult = { home: place.dir, created: [], changed: [], already: [], agents: [] };
  const steps = stepPrinter(output, agentsToSetUp(place, wanted).length);
  result.agents = addAgents({ place, wanted, asked: true, steps, result, output });
  output.result(result, "\nNext:\n  pm init    in each project that Pommel is to remember");
}
