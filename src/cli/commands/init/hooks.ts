import { explanationOf, PommelError } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import { type Output, tick } from "../../terminal/output.ts";
import type { HooksOutcome, InitResult, StepPrinter } from "./steps.ts";

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
      const { sharedHint } = await import("../doctor/checks/git-hooks.ts");
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
  const { pommelOnPath } = await import("../doctor/checks/hooks.ts");
  const { problem } = pommelOnPath();
  if (problem === null) return;
  output.note(`      ${tick("warn", output.colors)} ${problem.message} ${problem.hint}`);
}

function sayOff(output: Output): HooksOutcome {
  output.print(`      ${tick("ok", output.colors)} Hooks are off (\`pm enable\` adds them again)`);
  return switchedOff;
}
