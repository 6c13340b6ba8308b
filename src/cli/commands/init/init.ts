import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { defaultAgentName } from "../../../agents/profiles.ts";
import { projectPlace, readRecord } from "../../../agents/setup/record.ts";
import { applyChanges } from "../../../client/call.ts";
import { hideFromGit, unhideFromGit } from "../../../git/hooks/exclude.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { isNamed } from "../../../git/projects/recorded.ts";
import { recordHere } from "../../../git/projects/turn-recording.ts";
import { loadConfig } from "../../../project/config/config.ts";
import { setConfig } from "../../../project/config/config-edit.ts";
import { explanationOf, PommelError } from "../../../project/errors.ts";
import { findUpwards, type Project } from "../../../project/paths.ts";
import type { CommandContext } from "../../frame.ts";
import { nestedText } from "../../results/nested.ts";
import { interruptedCode } from "../../terminal/interruption.ts";
import { humanDuration, type Output, tick } from "../../terminal/output.ts";
import { counted } from "../../terminal/text.ts";
import type { StartReport } from "../daemon/start.ts";
import { importFound } from "../import/sources.ts";
import { addAgents, movedToTeam, partsToAdd } from "./agents.ts";
import { chooseSetup, type InitOptions, isAsked, isOwnByDefault } from "./choices.ts";
import { type InitResult, type StepPrinter, stepPrinter } from "./steps.ts";

/** `pm init`: creates missing parts and touches nothing else, so it can be run again at any time. */
export async function initCommand(
  context: CommandContext,
  options: InitOptions,
): Promise<number | undefined> {
  if (options.global)
    throw new PommelError("usage", "`pm setup` replaces `pm init --global`.", "Run `pm setup`.");
  const { cwd, output } = context;
  const languages = options.languages === undefined ? null : await parseLanguages(options.languages);
  const project = await findProject(cwd);
  const { root } = project;
  const inGit = findUpwards(root, ".git") !== null;
  const choices = await chooseSetup(project, projectPlace(project), options, output);
  // Nothing is written before everything is decided.
  if (choices === null) return interruptedCode;
  const own = choices.own ?? isOwnByDefault(projectPlace(project));
  const wasOwn = readRecord(projectPlace(project)).own ?? false;
  const place = projectPlace(project, { own });
  const wanted = wasOwn && own === false ? movedToTeam(place, choices.wanted) : choices.wanted;
  const result: InitResult = {
    root,
    created: [],
    changed: [],
    already: [],
    patterns: null,
    hooks: { state: "skipped", reason: options.hooks === false ? "--no-hooks" : "--agent" },
    agents: [],
    git_hooks: { state: "skipped", reason: "--no-hooks" },
    nested: [],
    scope: place.own ? "local" : "team",
    imported: null,
    started: false,
  };
  const agents = partsToAdd(place, wanted).length;
  const further = [choices.gitHooks && inGit, choices.start, choices.sessions.length > 0];
  const steps = stepPrinter(output, choices.asked ? null : 1 + agents + further.filter(Boolean).length);
  if (!choices.asked) output.print(output.colors.bold(`Pommel in ${root}`));

  steps.next("Project");
  const wasNamed = isNamed(project);
  await recordHere(project);
  await applyChanges(project);
  steps.done(result, wasNamed ? "already" : "created", project.dataDir, "sessions, notes and commits");
  if (languages !== null) {
    const { changed } = setConfig(project, "index.languages", JSON.stringify(languages));
    const said = `index.languages is ${languages.join(",")}`;
    steps.done(result, changed ? "changed" : "already", project.configFile, said);
  }
  // A broken configuration, ours or one that was there, should come up now and not at the first search.
  const { config } = loadConfig(project);
  const { nestedIn } = await import("../../../code/files/scan.ts");
  const { createIgnoreRules } = await import("../../../code/files/ignore.ts");
  result.nested = nestedIn(root, createIgnoreRules(root, config));
  for (const line of nestedText(result.nested)) output.note(`      ${line}`);
  await writePatterns(result, steps, output);
  const asked = choices.asked || isAsked(options);
  const hooks = { project, result, steps, output, asked };
  const { addGitHooks, warnOfPath } = await import("./steps.ts");
  if (choices.gitHooks) {
    if (inGit) steps.next("Git");
    result.git_hooks = inGit
      ? await addGitHooks(hooks)
      : { state: "skipped", reason: "not in a git repository" };
  }
  result.agents = await addAgents({ place, wanted, asked, steps, result, output });
  await showOrHide(project, own, place.own ?? false, { result, steps, output });
  const claudes = result.agents.find(({ agent }) => agent === defaultAgentName)?.hooks;
  if (claudes) result.hooks = { state: claudes.state, reason: claudes.reason };
  const parts = result.agents.flatMap(({ agent: _, ...outcome }) => Object.values(outcome));
  if ([...parts, result.git_hooks].some(({ state }) => state === "installed")) await warnOfPath(hooks);
  if (choices.start) {
    steps.next("Daemon");
    const { startDaemonAndReport } = await import("../daemon/start.ts");
    const quiet = steps.isBrief ? { ...output, print: () => {} } : output;
    const report = await startDaemonAndReport(project, quiet);
    result.started = !report.already_running;
    if (steps.isBrief) output.print(`${tick("ok", output.colors)} ${daemonInBrief(report)}`);
  }
  if (choices.sessions.length > 0) {
    steps.next("Past sessions");
    result.imported = await importFound(project, choices.sessions, steps, output);
  }
  output.result(result, nextSteps(choices.start || choices.sessions.length > 0));
  return result.imported?.interrupted ? interruptedCode : undefined;
}

/**
 * Personal files stay out of `git status`; files to commit have to show up in it.
 * @param saved what somebody chose now
 */
async function showOrHide(
  { root }: Project,
  saved: boolean | undefined,
  isOwn: boolean,
  { result, steps, output }: { result: InitResult; steps: StepPrinter; output: Output },
): Promise<void> {
  const outcomes = result.agents.flatMap(({ agent: _, ...parts }) => Object.values(parts));
  const files = outcomes.flatMap(({ file }) => (file === null || isAbsolute(file) ? [] : file));
  try {
    const hidden = isOwn ? await hideFromGit(root, files) : null;
    const shown = saved === false ? await unhideFromGit(root) : null;
    if (hidden !== null) steps.done(result, "changed", hidden, "keeps your own files out of git status");
    if (shown !== null) steps.done(result, "changed", shown, "no longer hides anything");
  } catch (error) {
    if (!(error instanceof PommelError)) throw error;
    output.note(`      ${tick("warn", output.colors)} ${explanationOf(error)}`);
  }
}

async function parseLanguages(text: string): Promise<string[]> {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const { languageIdsOf } = await import("../../../code/languages/index.ts");
  return languageIdsOf(names);
}

/** Without the file the default patterns are in force all the same, so failing here is worth a warning only. */
async function writePatterns(result: InitResult, steps: StepPrinter, output: Output): Promise<void> {
  const { ensureGlobalPatterns, globalPatternsFile } = await import(
    "../../../redact/patterns/patterns-file.ts"
  );
  const isNew = !existsSync(globalPatternsFile());
  try {
    result.patterns = ensureGlobalPatterns();
    if (steps.isBrief) return;
    const verb = isNew ? "Created" : "Already set up:";
    output.print(`      ${tick("ok", output.colors)} ${verb} ${result.patterns} (what counts as a secret)`);
  } catch (error) {
    output.note(`      ${tick("warn", output.colors)} ${explanationOf(error)}`);
  }
}

function daemonInBrief({ files_to_index, eta_seconds, already_running }: StartReport): string {
  if (already_running) return "The daemon is running";
  const files = files_to_index === null ? "" : ` ${counted(files_to_index, "file")}`;
  const time = eta_seconds === null ? "" : `, about ${humanDuration(eta_seconds * 1000)}`;
  return files_to_index === 0
    ? "Started; the index is up to date"
    : `Started; indexing${files} in the background${time}`;
}

function nextSteps(isRunning: boolean): string {
  const lines = isRunning
    ? ['  pm search "where requests are retried"', "  pm status"]
    : ["  pm daemon start    index the project and keep the index up to date"];
  return `\nNext:\n${lines.join("\n")}`;
}
