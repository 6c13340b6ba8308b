import { basename, join } from "node:path";
import { localSettings } from "../../agents/claude/setup.ts";
import { loadConfig, toEnvName } from "../../base/config/config.ts";
import { explainError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { applyChanges } from "../../client/call.ts";
import { readGitHooksState } from "../../git/hooks/state.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { recordHere, recordNothing } from "../../git/projects/turn-recording.ts";
import { AgentPart } from "../../setup/agent-part.ts";
import { gitHooksKey } from "../../setup/git-part.ts";
import {
  hideOwnFiles,
  listParts,
  type PutPart,
  planParts,
  putParts,
  type TakenPart,
  takeParts,
} from "../../setup/plan.ts";
import { findPommelOnPath } from "../../setup/pommel-on-path.ts";
import { enableSetups, makeProjectPlace, makeUserPlace, readRecord } from "../../setup/record.ts";
import { isAnotherSetUp } from "../../setup/seen-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { formatMark, type Output } from "../../terminal/output.ts";
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
  state: "installed" | "none" | "shared";
  /** Why they are not installed; null when they are. */
  reason: string | null;
  /** Where git looks for hooks, from the project's root. */
  dir: string | null;
  changed: boolean;
  /** The hooks that were made or changed. */
  added: string[];
}

const claudeHooksKey = "claude/hooks";

/** `pm enable`: adds the hooks that are missing, to Claude Code and to git, and puts back what `pm disable` took out. */
export async function enableCommand(
  { cwd, output }: CommandContext,
  { local = false, claude = false, git = false }: EnableOptions,
): Promise<void> {
  const project = await findProject(cwd);
  await recordHere(project);
  await applyChanges(project);
  const place = makeProjectPlace(project, { own: local || isOwnByDefault(makeProjectPlace(project)) });
  const taken = new Set(readRecord(place).taken);
  const wanted = new Set<string>();
  if (claude || !git) {
    const isMeant =
      taken.size > 0 ? [...taken].some((key) => key.startsWith("claude/")) : !isAnotherSetUp(project);
    if (isMeant || claude || local) wanted.add(claudeHooksKey);
    if (!claude) for (const key of taken) wanted.add(key);
    enableSetups(place);
  }
  if (git || !claude) wanted.add(gitHooksKey);
  const parts = listParts(place)
    .filter(({ key }) => wanted.has(key))
    .map((part) =>
      local && part.key === claudeHooksKey && part instanceof AgentPart
        ? part.narrowToFile(join(project.root, localSettings))
        : part,
    );
  const planned = await planParts(place, wanted, true, parts);
  // Whoever asks for them by name gets them, also where those of `pm setup` do.
  for (const one of planned) if (one.part.key === claudeHooksKey && (claude || local)) one.reason = null;
  const done = await putParts(planned);
  if (place.own) await hideOwnFiles(place);
  const isGits = ({ part }: PutPart) => part.key === gitHooksKey;
  const failed = done.find((one) => one.state === "failed" && !isGits(one));
  if (failed) throw failed.error!;
  const gits = done.find(isGits);
  const result: EnableResult = {
    ...describeHooks(done),
    git: gits ? await describeGit(project, gits, git) : null,
  };
  output.result(result, () => formatEnabled(result, output).join("\n"));
  for (const { error } of done)
    if (error !== null && error.code !== "not_found") warn(output, explainError(error));
  const { problem } = findPommelOnPath();
  if (problem !== null) warn(output, `${problem.message} ${problem.hint}`);
}

function describeHooks(done: readonly PutPart[]): Omit<EnableResult, "git"> {
  const hooks = done.find(({ part }) => part.key === claudeHooksKey)?.files[0];
  const restored = done.flatMap(({ part, files }) =>
    part.key === claudeHooksKey || part.key === gitHooksKey
      ? []
      : files.filter(({ outcome }) => outcome === "created" || outcome === "changed").map(({ file }) => file),
  );
  const changed = hooks !== undefined && hooks.outcome !== "already";
  return { file: hooks?.file ?? null, changed, added: hooks?.added ?? [], restored };
}

/**
 * @param asked it was asked for by name, so that it is an error where it cannot be done
 * @throws PommelError as `installGitHooks`
 */
async function describeGit(project: Project, { files, error }: PutPart, asked: boolean): Promise<GitResult> {
  const { state, reason, dir } = await readGitHooksState(project);
  if (state === "none" || state === "shared") {
    if (asked) throw error!;
    return { state, reason, dir, changed: false, added: [] };
  }
  if (error !== null) throw error;
  const added = files.filter(({ outcome }) => outcome !== "already").map(({ file }) => basename(file));
  return { state: "installed", reason: null, dir, changed: added.length > 0, added };
}

function formatEnabled({ file, changed, added, restored, git }: EnableResult, output: Output): string[] {
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
  return doneLines.map((line) => `${formatMark("ok", output.colors)} ${line}`);
}

function warn(output: Output, line: string): void {
  output.note(`${formatMark("warn", output.colors)} ${line}`);
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
  const { taken, failures } = await takeParts(project === null ? makeUserPlace() : makeProjectPlace(project));
  await recordNothing(project);
  await applyChanges(project);
  if (failures.length > 0) throw failures[0];
  const removed = taken.filter(({ outcome }) => outcome === "removed");
  const listFiles = (isGits: boolean) => [
    ...new Set(removed.filter(({ part }) => (part.owner === "git") === isGits).map(({ file }) => file)),
  ];
  const [files, gitFiles] = [listFiles(false), listFiles(true)];
  const result: DisableResult = {
    files,
    changed: files.length > 0,
    kept: listKept(taken),
    git: project === null ? null : { files: gitFiles, changed: gitFiles.length > 0 },
  };
  for (const { file, reason } of result.kept) {
    output.note(`${formatMark("warn", output.colors)} ${file} was left as it is: ${reason}.`);
  }
  output.result(result, () => {
    const outcome =
      (project === null ? describeStrongerVariable() : null) ?? describeOutcome(project !== null);
    return `${formatRemoved([...files, ...gitFiles], output)}\n  ${outcome}`;
  });
}

/** `pm disable --global` turns recording off in a file, and a variable is stronger: null where none is set. */
function describeStrongerVariable(): string | null {
  const { config, origin } = loadConfig(null);
  const record = config["sessions.record"];
  if (origin["sessions.record"] !== "env" || record === "none") return null;
  const name = toEnvName("sessions.record");
  return `But ${name}=${record} is set here and wins: a daemon that has this variable still records. Set ${name}=none, then run \`pm daemon restart\`.`;
}

/** The files that somebody changed, and that stay. */
export function listKept(taken: readonly TakenPart[]): { file: string; reason: string }[] {
  const reasons = new Map(
    taken
      .filter(({ outcome }) => outcome === "kept")
      .map(({ file, detail }) => [file, detail.join("; ")] as const),
  );
  return [...reasons].map(([file, reason]) => ({ file, reason }));
}

function formatRemoved(all: readonly string[], output: Output): string {
  const done = all.length > 0 ? `Removed Pommel from ${list(all)}` : "There was nothing to remove";
  return `${formatMark("ok", output.colors)} ${done}.`;
}

function describeOutcome(inProject: boolean): string {
  const where = inProject ? "here" : "in any project";
  const again = inProject ? "pm enable" : "pm setup";
  return `Nothing more is recorded ${where}; what is remembered stays. \`${again}\` turns it on again.`;
}

function list(words: readonly string[]): string {
  if (words.length < 2) return words.join();
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
