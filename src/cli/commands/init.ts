import { existsSync } from "node:fs";
import { projectPlace } from "../../agents/setup/place.ts";
import { loadConfig } from "../../project/config.ts";
import { setConfig } from "../../project/config-edit.ts";
import { explanationOf, messageOf } from "../../project/errors.ts";
import { ignoreStateDir } from "../../project/git-ignore.ts";
import { findUpwards, type Project, projectAt, rootForInit, stateDirName } from "../../project/paths.ts";
import { createStateDir } from "../../project/state-dir.ts";
import type { CommandContext } from "../frame.ts";
import { type Output, tick } from "../output.ts";
import { type AgentOptions, addAgents, agentsToSetUp, chooseParts, isAsked } from "./init-agents.ts";
import { type InitResult, type StepPrinter, stepPrinter } from "./init-steps.ts";

interface InitOptions extends AgentOptions {
  languages?: string;
  start?: boolean;
  global?: boolean;
}

/** `pm init`: creates what is missing and touches nothing else, so it can be run again at any time. */
export async function initCommand(context: CommandContext, options: InitOptions): Promise<void> {
  if (options.global) {
    const { initGlobal } = await import("./init-global.ts");
    return initGlobal(context, options);
  }
  const { cwd, output } = context;
  const languages = options.languages === undefined ? null : await parseLanguages(options.languages);
  const { root, remark } = chooseRoot(cwd);
  const project = projectAt(root);
  const result: InitResult = {
    root,
    created: [],
    changed: [],
    already: [],
    patterns: null,
    hooks: { state: "skipped", reason: options.hooks === false ? "--no-hooks" : "--agent" },
    agents: [],
    git_hooks: { state: "skipped", reason: "--no-hooks" },
    started: false,
  };
  const wantsHooks = options.hooks ?? true;
  const inGit = findUpwards(root, ".git") !== null;
  output.print(output.colors.bold(`Pommel in ${root}`));
  const place = projectPlace(project);
  const wanted = await chooseParts(place, options, output);
  const agents = agentsToSetUp(place, wanted).length;
  const steps = stepPrinter(output, 1 + agents + [inGit, options.start].filter(Boolean).length);
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

  const asked = isAsked(options);
  const hooks = { project, result, steps, output, asked };
  const { addGitHooks, warnOfPath } = await import("./init-hooks.ts");
  if (inGit) {
    steps.next("Git");
    addToGitignore(project, result, steps, output);
  }
  if (wantsHooks) {
    result.git_hooks = inGit
      ? await addGitHooks(hooks)
      : { state: "skipped", reason: "not in a git repository" };
  }
  result.agents = addAgents({ place, wanted, asked, steps, result, output });
  const claudes = result.agents.find(({ agent }) => agent === "claude")?.hooks;
  if (claudes) result.hooks = { state: claudes.state, reason: claudes.reason };
  const parts = result.agents.flatMap(({ agent: _, ...outcome }) => Object.values(outcome));
  if ([...parts, result.git_hooks].some(({ state }) => state === "installed")) await warnOfPath(hooks);
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

function nextSteps(isRunning: boolean): string {
  const lines = isRunning
    ? ['  pm search "where requests are retried"', "  pm status"]
    : ["  pm start    index the project and keep the index up to date"];
  return `\nNext:\n${lines.join("\n")}`;
}
