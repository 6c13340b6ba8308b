import { agentNames, profileOf } from "../../../agents/profiles.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { PommelError } from "../../../project/errors.ts";
import type { CommandContext } from "../../frame.ts";
import { runFor, sessionMeant } from "./session-meant.ts";

/** `pm handoff`. @returns the agent's exit code, where one is started */
export async function handoffCommand(
  { cwd, output }: CommandContext,
  words: string[],
  { to }: { to?: string },
): Promise<number> {
  const startWith = to === undefined ? undefined : profileOf(to)?.startWith;
  if (to !== undefined && startWith === undefined) {
    const able = agentNames.filter((name) => profileOf(name)?.startWith !== undefined);
    throw new PommelError("usage", `${to} takes no first prompt.`, `Choose from: ${able.join(", ")}.`);
  }
  const project = await findProject(cwd);
  const found = await sessionMeant(project, words);
  if (startWith === undefined || output.json || output.columns === undefined) {
    output.result(found, found.text.trimEnd());
    return 0;
  }
  return runFor(found, project, startWith(found.text), output);
}
