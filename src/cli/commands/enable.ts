import { installHooks, localSettings, sharedSettings } from "../../agents/claude/install.ts";
import { type InstalledGitHooks, installGitHooks } from "../../git/hooks/install.ts";
import { PommelError } from "../../project/errors.ts";
import { findProject, type Project } from "../../project/paths.ts";
import { sharedHint } from "../checks/git-hooks.ts";
import { pmOnPath } from "../checks/hooks.ts";
import type { CommandContext } from "../frame.ts";
import { type Output, tick } from "../output.ts";

interface EnableOptions {
  local?: boolean;
  /** One of these is only that. */
  claude?: boolean;
  git?: boolean;
}

/** The JSON of `pm enable`. */
interface EnableResult {
  agent: "claude";
  /** From the project's root; null with --git. */
  file: string | null;
  /** False when all were there. */
  changed: boolean;
  /** The events that had no hook of ours. */
  added: string[];
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

/** `pm enable`: adds the hooks that are missing, to Claude Code and to git. */
export async function enableCommand(
  { cwd, output }: CommandContext,
  { local = false, claude = false, git = false }: EnableOptions,
): Promise<void> {
  const project = findProject(cwd);
  const result: EnableResult = { agent: "claude", file: null, changed: false, added: [], git: null };
  const failures: unknown[] = [];
  const attempt = async (action: () => void | Promise<void>) => {
    try {
      await action();
    } catch (error) {
      failures.push(error);
    }
  };
  if (claude || !git) {
    await attempt(() => {
      const { file, outcome, added } = installHooks(project, local ? localSettings : sharedSettings);
      Object.assign(result, { file, changed: outcome !== "already", added });
    });
  }
  if (git || !claude) {
    await attempt(async () => {
      result.git = await enableGit(project, git);
    });
  }
  if (failures.length > 0) throw failures[0];
  output.result(result, () => lines(result, output).join("\n"));
  if (result.git?.state === "shared") warn(output, `No hooks in git: ${result.git.reason}. ${sharedHint}`);
  const { problem } = pmOnPath();
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
  if (asked && state === "none") throw new PommelError("not_found", `Git runs no hooks here: ${reason}.`);
  if (asked) throw new PommelError("settings_invalid", `No hooks in git: ${reason}.`, sharedHint);
  return { state, reason, dir, changed: false, added: [] };
}

function lines({ file, changed, added, git }: EnableResult, output: Output): string[] {
  const said: string[] = [];
  if (file !== null)
    said.push(changed ? `Added to ${file}: ${added.join(", ")}.` : `All hooks are in ${file} already.`);
  if (git?.state === "installed") {
    said.push(
      git.changed ? `Added to ${git.dir}: ${git.added.join(", ")}.` : `All hooks are in ${git.dir} already.`,
    );
  }
  return said.map((line) => `${tick("ok", output.colors)} ${line}`);
}

function warn(output: Output, line: string): void {
  output.note(`${tick("warn", output.colors)} ${line}`);
}
