import type { Project } from "../base/paths.ts";
import { findIndexObstacle } from "../git/projects/indexed.ts";
import { recordHere } from "../git/projects/turn-recording.ts";
import { canAsk, confirm } from "./ask.ts";
import type { Output } from "./output.ts";
import { toHomeRelative } from "./text.ts";

/**
 * Asks whether to make a project of a directory that is not a repository. If the directory may be indexed anyway, it asks nothing.
 * @throws PommelError `not_initialised` if the answer is no, or if it cannot ask
 */
export async function agreeToIndex(project: Project, output: Output): Promise<void> {
  const plain = findIndexObstacle(project);
  if (plain === null) return;
  const question = `${toHomeRelative(project.root)} is not a git repository. Make it a project, and index its files?`;
  const isAgreed = plain.isLikelyMeant && canAsk(output) && (await confirm(question, false));
  if (!isAgreed) throw plain.refusal;
  await recordHere(project);
}
