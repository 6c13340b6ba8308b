import { existsSync } from "node:fs";
import { loadConfig } from "../../project/config.ts";
import { setConfig } from "../../project/config-edit.ts";
import { explanationOf, messageOf, PommelError } from "../../project/errors.ts";
import { ignoreStateDir } from "../../project/git-ignore.ts";
import { findUpwards, type Project, projectAt, rootForInit, stateDirName } from "../../project/paths.ts";
import { createStateDir } from "../../project/state-dir.ts";
import type { CommandContext } from "../frame.ts";
import { type Output, tick } from "../output.ts";

interface InitOptions {
  languages?: string;
  /** False with --no-hooks. */
  hooks?: boolean;
  start?: boolean;
}

/** The JSON of `pm init`; paths are relative to `root`. */
interface InitResult {
  root: string;
  created: string[];
  changed: string[];
  /** The user's file of patterns of secrets, absolute; null when it could not be written. */
  patterns: string | null;
  already: string[];
  hooks: HooksOutcome;
  /** The daemon was started now; false when it ran already or nobody asked for it. */
  started: boolean;
}

/** What became of Claude Code's hooks; `skipped`: nobody wants them (--no-hooks, `pm disable`). */
interface HooksOutcome {
  state: "installed" | "skipped" | "failed";
  /** Why they are not installed; null when they are. */
  reason: string | null;
}

/** `pm init`: creates what is missing and touches nothing else, so it can be run again at any time. */
export async function initCommand({ cwd, output }: CommandContext, options: InitOptions): Promise<void> {
  const languages = options.languages === undefined ? null : await parseLanguages(options.languages);
  const { root, remark } = chooseRoot(cwd);
  const project = projectAt(root);
  const result: InitResult = {
    root,
    created: [],
    changed: [],
    already: [],
    patterns: null,
    hooks: { state: "skipped", reason: "--no-hooks" },
    started: false,
  };
  const wantsHooks = options.hooks ?? true;
  const inGit = findUpwards(root, ".git") !== null;
  const steps = stepPrinter(output, 1 + [inGit, wantsHooks, options.start].filter(Boolean).length);

  output.print(output.colors.bold(`Pommel in ${root}`));
  if (remark !== null) output.note(remark);

  steps.next("Project directory");
  const created = createStateDir(project, languages === null ? {} : { "index.languages": languages });
  const configIsNew = created.includes(".pommel/config.toml");
  const reconfigured =
    languages !== null &&
    !configIsNew &&
    setConfig(project, "index.languages", JSON.stringify(languages)).changed;
  steps.done(result, created.includes(".pommel/") ? "created" : "already", ".pommel/");
  steps.done(
    result,
    configIsNew ? "created" : reconfigured ? "changed" : "already",
    ".pommel/config.toml",
    languages === null ? undefined : `index.languages is ${languages.join(",")}`,
  );
  const gitignore = ".pommel/.gitignore";
  steps.done(result, created.includes(gitignore) ? "created" : "already", gitignore);
  // A broken configuration, ours or one that was there, should come up now and not at the first search.
  loadConfig(project);
  await writePatterns(result, output);
  const { rememberProject } = await import("../../client/known-projects.ts");
  await rememberProject(project);

  if (inGit) {
    steps.next("Git");
    addToGitignore(project, result, steps, output);
  }
  if (wantsHooks) {
    steps.next("Claude Code");
    result.hooks = await addClaudeHooks(project, result, steps, output);
  }
  if (options.start) {
    steps.next("Daemon");
    const { startDaemonAndReport } = await import("./start.ts");
    result.started = !(await startDaemonAndReport(project, output)).already_running;
  }
  output.result(result, nextSteps(options.start ?? false));
}

/**
 * An existing project that `cwd` lies in stays the project; otherwise the git working tree, or `cwd`. Only a git
 * repository inside a project (a submodule, say) becomes one of its own.
 */
function chooseRoot(cwd: string): { root: string; remark: string | null } {
  const marker = `${stateDirName}/config.toml`;
  const fresh = rootForInit(cwd);
  const inGit = findUpwards(cwd, ".git") !== null;
  const existing = findUpwards(cwd, marker);
  if (existing === null || existing === fresh) {
    const remark =
      existing !== null && existing !== cwd ? `${cwd} belongs to the project in ${existing}.` : null;
    return { root: fresh, remark };
  }
  if (inGit && existing.length < fresh.length) {
    return {
      root: fresh,
      remark: `This repository lies inside the project in ${existing}; it gets an index of its own.`,
    };
  }
  return {
    root: existing,
    remark: existing === cwd ? null : `${cwd} belongs to the project in ${existing}.`,
  };
}

async function parseLanguages(text: string): Promise<string[]> {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const { languageIdsOf } = await import("../../code/languages/by-name.ts");
  return languageIdsOf(names);
}

/** Without the file the default patterns are in force all the same, so failing here is worth a warning only. */
async function writePatterns(result: InitResult, output: Output): Promise<void> {
  const { ensureGlobalPatterns, globalPatternsFile } = await import("../../redact/patterns-file.ts");
  const isNew = !existsSync(globalPatternsFile());
  try {
    result.patterns = ensureGlobalPatterns();
    const verb = isNew ? "Created" : "Already there:";
    output.print(`      ${tick("ok", output.colors)} ${verb} ${result.patterns} (what counts as a secret)`);
  } catch (error) {
    output.note(`      ${tick("warn", output.colors)} ${explanationOf(error)}`);
  }
}

/** `.pommel/.gitignore` already keeps the index out of commits, so failing here is worth a warning only. */
function addToGitignore(project: Project, result: InitResult, steps: StepPrinter, output: Output): void {
  try {
    const outcome = ignoreStateDir(project.root);
    if (outcome !== null) steps.done(result, outcome, ".gitignore", ".pommel/ is ignored");
  } catch (error) {
    output.note(`      ${tick("warn", output.colors)} .gitignore could not be changed: ${messageOf(error)}`);
  }
}

/** Conversations are found without hooks, too, only later: failing here is worth a warning only. */
async function addClaudeHooks(
  project: Project,
  result: InitResult,
  steps: StepPrinter,
  output: Output,
): Promise<HooksOutcome> {
  const { hooksState, installHooks } = await import("../../agents/claude/install.ts");
  const mark = (kind: "ok" | "warn") => tick(kind, output.colors);
  try {
    const { state, disabled, file: where } = hooksState(project);
    if (disabled && state === "absent") {
      output.print(`      ${mark("ok")} Hooks are switched off (\`pm enable\` puts them back)`);
      return { state: "skipped", reason: "pm disable" };
    }
    const { file, outcome, added } = installHooks(project, where ?? undefined);
    steps.done(result, outcome, file, added.length === 0 ? "hooks" : `hooks: ${added.join(", ")}`);
  } catch (error) {
    if (!(error instanceof PommelError)) throw error;
    output.note(`      ${mark("warn")} No hooks for Claude Code: ${explanationOf(error)}`);
    return { state: "failed", reason: error.message };
  }
  const { pmOnPath } = await import("../checks/hooks.ts");
  const { problem } = pmOnPath();
  if (problem !== null) output.note(`      ${mark("warn")} ${problem.message} ${problem.hint}`);
  return { state: "installed", reason: null };
}

type Outcome = "created" | "changed" | "already";

interface StepPrinter {
  next(title: string): void;
  done(result: InitResult, outcome: Outcome, part: string, detail?: string): void;
}

function stepPrinter(output: Output, total: number): StepPrinter {
  let step = 0;
  const verbs = { created: "Created", changed: "Changed", already: "Already there:" };
  return {
    next(title) {
      step++;
      output.print(`\n[${step}/${total}] ${title}`);
    },
    done(result, outcome, part, detail) {
      result[outcome].push(part);
      const note = detail === undefined ? "" : ` (${detail})`;
      output.print(`      ${tick("ok", output.colors)} ${verbs[outcome]} ${part}${note}`);
    },
  };
}

function nextSteps(isRunning: boolean): string {
  const lines = isRunning
    ? ['  pm search "where requests are retried"', "  pm status"]
    : ["  pm start    index the project and keep the index up to date"];
  return `\nNext:\n${lines.join("\n")}`;
}
