import { isDeepStrictEqual } from "node:util";
import { setups } from "../../../agents/registry.ts";
import { inOrderToTake, keyOf, partState, type TakeResult, takePart } from "../../../agents/setup/parts.ts";
import { projectPlace, switchOff, userPlace } from "../../../agents/setup/record.ts";
import type { Place } from "../../../agents/setup.ts";
import { applyChanges } from "../../../client/call.ts";
import { unhideFromGit } from "../../../git/hooks/exclude.ts";
import { removeGitHooks } from "../../../git/hooks/remove.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { recordNothing } from "../../../git/projects/turn-recording.ts";
import type { Project } from "../../../project/paths.ts";
import type { CommandContext } from "../../frame.ts";
import { type Output, tick } from "../../terminal/output.ts";

/** The JSON of `pm disable`. */
interface DisableResult {
  /** From the project's root, or the home; empty when there was nothing of ours. */
  files: string[];
  changed: boolean;
  /** What somebody changed and is left alone. */
  kept: { file: string; reason: string }[];
  /** As `files` and `changed`, of git's hooks; null with --global. */
  git: { files: string[]; changed: boolean } | null;
}

/** `pm disable`: stops recording, and removes Pommel from the settings of agents and git. The memory stays. */
export async function disableCommand(
  { cwd, output }: CommandContext,
  { global = false }: { global?: boolean } = {},
): Promise<void> {
  const project = global ? null : await findProject(cwd);
  const place = project === null ? userPlace() : projectPlace(project);
  const [git, agents] = await Promise.allSettled([
    project === null ? null : removeFromGit(project),
    (async () => takeAll(place))(),
  ]);
  await recordNothing(project);
  await applyChanges(project);
  // One that fails does not keep the other from it.
  for (const done of [agents, git]) if (done.status === "rejected") throw done.reason;
  const taken = agents.status === "fulfilled" ? agents.value : [];
  const files = [...new Set(taken.filter(({ outcome }) => outcome === "removed").map(({ file }) => file))];
  const gitFiles = git.status === "fulfilled" ? git.value : [];
  const kept = taken.filter(({ outcome }) => outcome === "kept");
  const result: DisableResult = {
    files,
    changed: files.length > 0,
    kept: kept.map(({ file, detail }) => ({ file, reason: detail.join("; ") })),
    git: gitFiles === null ? null : { files: gitFiles, changed: gitFiles.length > 0 },
  };
  for (const { file, reason } of result.kept) {
    output.note(`${tick("warn", output.colors)} ${file} was left as it is: ${reason}.`);
  }
  output.result(result, () => summary([...files, ...(gitFiles ?? [])], project !== null, output));
}

/** Git's hooks, and what kept files of the user's own out of its status. */
export async function removeFromGit(project: Project): Promise<string[]> {
  const [hooks, hidden] = await Promise.allSettled([removeGitHooks(project), unhideFromGit(project.root)]);
  for (const done of [hooks, hidden]) if (done.status === "rejected") throw done.reason;
  const files = hooks.status === "fulfilled" ? hooks.value : [];
  return hidden.status === "fulfilled" && hidden.value !== null ? [...files, hidden.value] : files;
}

/**
 * Removes as much as possible, even where one part fails.
 * @throws PommelError the first failure
 */
export function takeAll(place: Place): TakeResult[] {
  const failures: unknown[] = [];
  const results: TakeResult[] = [];
  const taken: string[] = [];
  for (const [setup, part] of inOrderToTake(place, setups)) {
    try {
      const wasThere = partState(place, setup, part).state !== "absent";
      const done = takePart(place, setup, part);
      if (wasThere && done.some(({ outcome }) => outcome === "removed")) taken.push(keyOf(setup, part));
      // Several agents may share a file.
      results.push(...done.filter((one) => !results.some((other) => isDeepStrictEqual(one, other))));
    } catch (error) {
      failures.push(error);
    }
  }
  switchOff(place, taken);
  if (failures.length > 0) throw failures[0];
  return results;
}

function summary(all: readonly string[], inProject: boolean, output: Output): string {
  const done = all.length > 0 ? `Removed Pommel from ${list(all)}` : "There was nothing to remove";
  const where = inProject ? "here" : "in any project";
  const again = inProject ? "pm enable" : "pm setup";
  return `${tick("ok", output.colors)} ${done}.\n  Nothing more is recorded ${where}; what is remembered stays. \`${again}\` turns it on again.`;
}

function list(words: readonly string[]): string {
  if (words.length < 2) return words.join();
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
