import { agentNames, profileOf } from "../../../agents/profiles.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { PommelError } from "../../../project/errors.ts";
import { shellQuoted } from "../../../text/shell.ts";
import type { CommandContext } from "../../frame.ts";
import { directoryOf, runFor, sessionMeant } from "./session-meant.ts";

/** `pm session resume`. @returns the agent's exit code */
export async function resumeCommand(
  { cwd, output }: CommandContext,
  words: string[],
  { print = false }: { print?: boolean },
): Promise<number> {
  const project = await findProject(cwd);
  const found = await sessionMeant(project, words);
  const { resume, shared_by, agent } = found;
  if (shared_by !== null)
    throw new PommelError(
      "usage",
      `The session is on ${shared_by}'s machine.`,
      "`pm session handoff` goes on with it in an agent of yours.",
    );
  if (resume === null)
    throw new PommelError(
      "usage",
      `${agent} cannot reopen this session.`,
      "`pm session handoff` goes on with it in a new one.",
    );
  if (print || output.json || output.columns === undefined) {
    const directory = directoryOf(found, project);
    const command = `cd ${shellQuoted(directory)} && ${resume}`;
    output.result({ session_id: found.session_id, title: found.title, directory, command: resume }, command);
    return 0;
  }
  return runFor(found, project, resume.split(" "), output);
}

/** `pm session handoff`. @returns the agent's exit code, where one is started */
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
