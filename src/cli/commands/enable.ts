import { isAbsolute, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { claudeSetup, localSettings } from "../../agents/claude/setup.ts";
import { setups } from "../../agents/registry.ts";
import {
  inOrderToTake,
  isInHome,
  keyOf,
  type PutResult,
  partState,
  putPart,
  type TakeResult,
  takePart,
} from "../../agents/setup/parts.ts";
import { projectPlace, switchOff, switchOn, userPlace } from "../../agents/setup/record.ts";
import type { Place } from "../../agents/setup.ts";
import { applyChanges } from "../../client/call.ts";
import { hideFromGit, unhideFromGit } from "../../git/hooks/exclude.ts";
import { type InstalledGitHooks, installGitHooks, removeGitHooks } from "../../git/hooks/install.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { recordHere, recordNothing } from "../../git/projects/turn-recording.ts";
import { PommelError } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import type { CommandContext } from "../frame.ts";
import { type Output, tick } from "../terminal/output.ts";
import { isAnotherSetUp, pommelOnPath, sharedHint } from "./doctor/checks/agents.ts";
import { takenBefore } from "./init/agents.ts";
import { isOwnByDefault } from "./init/choices.ts";

interface EnableOptions {
  local?: boolean;
  /** One of these is only that. */
  claude?: boolean;
  git?: boolean;
}

/** The JSON of `pm enable`. */
interface EnableResult {
  /** Claude Code's hooks, from the project's root; null with --git, and where only other agents are set up. */
  file: string | null;
  /** False when all were there. */
  changed: boolean;
  /** The events that had no hook of ours. */
  added: string[];
  /** Other parts that `pm disable` had removed and this restored. */
  restored: string[];
  /** null with --claude. */
  git: GitResult | null;
}

interface GitResult {
  state: InstalledGitHooks["state"];
  /** Why they are not installed; null when they are. */
  reason: string | null;
  /** Where git looks for hooks, from the project's root. */
  dir: string | null;
  changed: boolean;
  /** The hooks that were made or changed. */
  added: string[];
}

/** `pm enable`: adds the hooks that are missing, to Claude Code and to git, and puts back what `pm disable` took out. */
export async function enableCommand(
  { cwd, output }: CommandContext,
  { local = false, claude = false, git = false }: EnableOptions,
): Promise<void> {
  const project = await findProject(cwd);
  await recordHere(project);
  await applyChanges(project);
  const place = projectPlace(project, { own: local || isOwnByDefault(projectPlace(project)) });
  const result: EnableResult = { file: null, changed: false, added: [], restored: [], git: null };
  const failures: unknown[] = [];
  const attempt = async (action: () => void | Promise<void>) => {
    try {
      await action();
    } catch (error) {
      failures.push(error);
    }
  };
  if (claude || !git) {
    const again = takenBefore(place);
    const isMeant =
      again.length > 0 ? again.some(({ setup }) => setup === claudeSetup) : !isAnotherSetUp(project);
    switchOn(place);
    await attempt(() => {
      const hooks = claudeSetup.parts.find(({ name }) => name === "hooks")!;
      // With those of `pm setup` as well, each event would be reported twice.
      const isNeeded = isMeant && !isInHome(place, claudeSetup, hooks);
      if (!isNeeded && !claude && !local) return;
      const settings = local ? join(project.root, localSettings) : undefined;
      const { file, outcome, added } = putPart(place, claudeSetup, hooks, settings);
      Object.assign(result, { file, changed: outcome !== "already", added });
    });
    for (const { setup, parts } of claude ? [] : again) {
      for (const part of setup.parts.filter(({ name }) => parts.has(name))) {
        if (setup === claudeSetup && part.name === "hooks") continue;
        await attempt(() => {
          const put: PutResult = putPart(place, setup, part);
          if (put.outcome !== "already" && put.outcome !== "kept") result.restored.push(put.file);
        });
      }
    }
  }
  if (git || !claude) {
    await attempt(async () => {
      result.git = await enableGit(project, git);
    });
  }
  if (place.own) {
    const added = [...result.restored, ...(result.file === null ? [] : [result.file])];
    await attempt(
      async () =>
        void (await hideFromGit(
          project.root,
          added.filter((file) => !isAbsolute(file)),
        )),
    );
  }
  if (failures.length > 0) throw failures[0];
  output.result(result, () => lines(result, output).join("\n"));
  if (result.git?.state === "shared") warn(output, `No git hooks: ${result.git.reason}. ${sharedHint}`);
  const { problem } = pommelOnPath();
  if (problem !== null) warn(output, `${problem.message} ${problem.hint}`);
}

/**
 * @param asked it was asked for by name, so that it is an error where it cannot be done
 * @throws PommelError `not_found`, `settings_invalid`, and those of `installGitHooks`
 */
async function enableGit(project: Project, asked: boolean): Promise<GitResult> {
  const done = await installGitHooks(project);
  if (done.state === "installed") {
    const added = done.hooks.filter(({ outcome }) => outcome !== "already").map(({ hook }) => hook);
    return { state: done.state, reason: null, dir: done.dir, changed: added.length > 0, added };
  }
  const { state, reason, dir } = done;
  if (state === "broken") throw new PommelError("git_failed", `No git hooks: ${reason}`);
  if (asked && state === "none") throw new PommelError("not_found", `Git runs no hooks here: ${reason}.`);
  if (asked) throw new PommelError("settings_invalid", `No git hooks: ${reason}.`, sharedHint);
  return { state, reason, dir, changed: false, added: [] };
}

function lines({ file, changed, added, restored, git }: EnableResult, output: Output): string[] {
  const doneLines: string[] = [];
  if (file !== null)
    doneLines.push(changed ? `Added to ${file}: ${added.join(", ")}.` : `${file} has all hooks already.`);
  if (restored.length > 0) doneLines.push(`Restored in ${[...new Set(restored)].join(", ")}.`);
  if (git?.state === "installed") {
    doneLines.push(
      git.changed ? `Added to ${git.dir}: ${git.added.join(", ")}.` : `${git.dir} has all hooks already.`,
    );
  }
  if (doneLines.length === 0) doneLines.push("This project is recorded again.");
  return doneLines.map((line) => `${tick("ok", output.colors)} ${line}`);
}

function warn(output: Output, line: string): void {
  output.note(`${tick("warn", output.colors)} ${line}`);
}

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
