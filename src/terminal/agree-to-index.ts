import type { Project } from "../base/paths.ts";
import { findIndexObstacle } from "../git/projects/indexed.ts";
import { recordHere } from "../git/projects/turn-recording.ts";
import { canAsk, confirm } from "./ask.ts";
import type { Output } from "./output.ts";
import { toHomeRelative } from "./text.ts";

/**
 * Asks whether a directory that is no repository is to be a project; one that is goes without asking.
 * @throws PommelError `not_initialised` where it is not to be one, or nobody can be asked
 */
export async function agreeToIndex(project: Project, output: Output): Promise<void> {
  const plain = findIndexObstacle(project);
  if (plain === null) return;
  const question = `${toHomeRelative(project.root)} is not a git repository. Make it a project, and index its files?`;
  const isAgreed = plain.isLikelyMeant && canAsk(output) && (await confirm(question, false));
  if (!isAgreed) throw plain.refusal;
  await recordHere(project);
}
