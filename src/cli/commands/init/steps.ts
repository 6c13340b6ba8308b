import { isAbsolute } from "node:path";
import type { PartName } from "../../../agents/setup.ts";
import type { NestedDirectory } from "../../../code/files/scan.ts";
import { explanationOf, PommelError } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import { type Output, tick } from "../../terminal/output.ts";
import { homeRelative } from "../../terminal/text.ts";

interface HooksStep {
  project: Project;
  result: InitResult;
  steps: StepPrinter;
  output: Output;
  /** Somebody said --hooks: also after `pm disable`. */
  asked: boolean;
}

const switchedOff: HooksOutcome = { state: "skipped", reason: "pm disable" };
const installed: HooksOutcome = { state: "installed", reason: null };

/** Commits are found in the reflog, too, only later: failing here is worth a warning only. */
export async function addGitHooks(step: HooksStep): Promise<HooksOutcome> {
  const { project, result, steps, output } = step;
  const { gitHooksState, readRecord } = await import("../../../git/hooks/state.ts");
  const { installGitHooks } = await import("../../../git/hooks/install.ts");
  try {
    if (!step.asked && readRecord(project).disabled) {
      const { state } = await gitHooksState(project);
      if (state !== "partial" && state !== "installed") return sayOff(output);
    }
    const done = await installGitHooks(project);
    if (done.state !== "installed") {
      if (done.state !== "shared") {
        output.note(`      ${tick("warn", output.colors)} No git hooks: ${done.reason.replace(/\.?$/, ".")}`);
        return { state: done.state === "none" ? "skipped" : "failed", reason: done.reason };
      }
      const { sharedHint } = await import("../doctor/checks/agents.ts");
      output.note(`      ${tick("warn", output.colors)} No git hooks: ${done.reason}. ${sharedHint}`);
      return { state: "failed", reason: done.reason };
    }
    for (const outcome of ["created", "changed", "already"] as const) {
      const names = done.hooks.filter((hook) => hook.outcome === outcome).map(({ hook }) => hook);
      steps.doneIn(result, outcome, done.dir, names);
    }
    return installed;
  } catch (error) {
    if (!(error instanceof PommelError)) throw error;
    output.note(`      ${tick("warn", output.colors)} No hooks for git: ${explanationOf(error)}`);
    return { state: "failed", reason: error.message };
  }
}

/** Hooks are commands, and have to find `pommel`. */
export async function warnOfPath({ output }: HooksStep): Promise<void> {
  const { pommelOnPath } = await import("../doctor/checks/agents.ts");
  const { problem } = pommelOnPath();
  if (problem === null) return;
  output.note(`      ${tick("warn", output.colors)} ${problem.message} ${problem.hint}`);
}

function sayOff(output: Output): HooksOutcome {
  output.print(`      ${tick("ok", output.colors)} Hooks are off (\`pm enable\` adds them again)`);
  return switchedOff;
}

/** The result of the import, for JSON. */
export interface ImportedSessions {
  sessions: number;
  chunks: number;
  failed: { path: string; error: string }[];
  /** Somebody stopped watching: the daemon goes on with it. */
  interrupted: boolean;
}

/** The result for a part; `skipped`: not wanted, `kept`: somebody's own is in its place and stays. */
export interface PartOutcome {
  state: "installed" | "skipped" | "failed" | "kept";
  file: string | null;
  /** Why it is not installed; null when it is. */
  reason: string | null;
}

export type AgentOutcome = { agent: string } & Partial<Record<PartName, PartOutcome>>;

/** The JSON of `pm init`; paths are relative to `root`. */
export interface InitResult {
  root: string;
  created: string[];
  changed: string[];
  /** The user's file of patterns of secrets, absolute; null when it could not be written. */
  patterns: string | null;
  already: string[];
  /** Claude Code's; those of all agents, with the rest, are in `agents`. */
  hooks: HooksOutcome;
  agents: AgentOutcome[];
  git_hooks: HooksOutcome;
  /** Projects, worktrees and repositories inside this project. */
  nested: NestedDirectory[];
  /** Whose files agents were set up in: the user's alone, or those that everybody shares. */
  scope: "local" | "team";
  /** Past sessions; null when not requested, or there are none. */
  imported: ImportedSessions | null;
  /** The daemon was started now; false when it ran already or was not requested. */
  started: boolean;
}

/** The result for hooks; `skipped`: not wanted (--no-hooks, `pm disable`), or there is no git. */
interface HooksOutcome {
  state: "installed" | "skipped" | "failed" | "kept";
  /** Why they are not installed; null when they are. */
  reason: string | null;
}

/** Results for files, by their paths. */
export type ChangedPaths = Pick<InitResult, "created" | "changed" | "already">;

type Outcome = "created" | "changed" | "already";

export interface StepPrinter {
  /** Reports only changes, and briefly. */
  isBrief: boolean;
  next(title: string): void;
  done(result: ChangedPaths, outcome: Outcome, part: string, detail?: string): void;
  /** Several parts of one directory in one line. */
  doneIn(result: ChangedPaths, outcome: Outcome, dir: string, names: readonly string[]): void;
}

/**
 * @param total how many steps there are; null: somebody chose them a moment ago, and sees what changed in brief
 * @param within what paths are relative to, for people: "~/"
 */
export function stepPrinter(output: Output, total: number | null, within = ""): StepPrinter {
  if (total === null) return briefPrinter(output, within);
  let step = 0;
  const verbs = { created: "Created", changed: "Changed", already: "Already set up:" };
  const print = (outcome: Outcome, what: string) =>
    output.print(`      ${tick("ok", output.colors)} ${verbs[outcome]} ${what}`);
  return {
    isBrief: false,
    next(title) {
      step++;
      output.print(`\n[${step}/${total}] ${title}`);
    },
    done(result, outcome, part, detail) {
      result[outcome].push(part);
      print(outcome, detail === undefined ? part : `${part} (${detail})`);
    },
    doneIn(result, outcome, dir, names) {
      if (names.length === 0) return;
      result[outcome].push(...names.map((name) => `${dir}/${name}`));
      print(outcome, `${dir}/${names.join(", ")}`);
    },
  };
}

/** A line for each file that was changed, on one screen with the questions. */
function briefPrinter(output: Output, within: string): StepPrinter {
  const print = (outcome: Outcome, what: string) => {
    if (outcome !== "already") output.print(`${tick("ok", output.colors)} ${what}`);
  };
  return {
    isBrief: true,
    next: () => {},
    done(result, outcome, part, detail) {
      result[outcome].push(part);
      const path = isAbsolute(part) ? homeRelative(part) : within + part;
      print(outcome, detail === undefined ? path : `${path}: ${detail}`);
    },
    doneIn(result, outcome, dir, names) {
      if (names.length === 0) return;
      result[outcome].push(...names.map((name) => `${dir}/${name}`));
      print(outcome, `${dir}: ${names.join(", ")}`);
    },
  };
}
