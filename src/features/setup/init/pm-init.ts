import { existsSync } from "node:fs";
import { defaultAgentName } from "../../../agents/profiles.ts";
import type { SetupTarget } from "../../../agents/setup.ts";
import { loadConfig } from "../../../base/config/config.ts";
import { setConfig } from "../../../base/config/config-edit.ts";
import { explainError, PommelError } from "../../../base/errors.ts";
import { findUpwards } from "../../../base/paths.ts";
import { formatDuration } from "../../../base/text/duration.ts";
import { applyChanges, call } from "../../../client/call.ts";
import { unhideFromGit } from "../../../git/hooks/exclude.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { isNamed } from "../../../git/projects/recorded.ts";
import { recordHere } from "../../../git/projects/turn-recording.ts";
import { listPartsToRemove } from "../../../setup/agent-part.ts";
import { gitHooksKey } from "../../../setup/git-part.ts";
import { hideOwnFiles, planParts } from "../../../setup/plan.ts";
import { findPommelOnPath } from "../../../setup/pommel-on-path.ts";
import { enableSetups, makeProjectPlace, readRecord } from "../../../setup/record.ts";
import type { CommandContext } from "../../../terminal/frame.ts";
import { interruptedCode } from "../../../terminal/interruption.ts";
import { formatMark } from "../../../terminal/output.ts";
import { renderDocument } from "../../../terminal/render-document.ts";
import { formatCount } from "../../../terminal/text.ts";
import { type StartReport, startDaemon } from "../../daemon/operation.ts";
import { importFound } from "../../import/operation.ts";
import { describeNested } from "../../index/words.ts";
import { readRunning } from "../../jobs/operation.ts";
import { wordRunningDaemon } from "../../jobs/words.ts";
import { chooseSetup, type InitOptions, isAsked, isOwnByDefault } from "./choices.ts";
import {
  describeAgents,
  type InitResult,
  listOwners,
  putAndReport,
  type StepPrinter,
  stepPrinter,
} from "./steps.ts";

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
  const choices = await chooseSetup(project, makeProjectPlace(project), options, output);
  // Nothing is written before everything is decided.
  if (choices === null) return interruptedCode;
  const own = choices.own ?? isOwnByDefault(makeProjectPlace(project));
  const wasOwn = readRecord(makeProjectPlace(project)).own ?? false;
  const place = makeProjectPlace(project, { own });
  const moved = wasOwn && !own ? takeOwnParts(place) : [];
  const wanted = new Set([...choices.wanted, ...moved]);
  if (!inGit) wanted.delete(gitHooksKey);
  const asked = choices.asked || isAsked(options);
  const planned = await planParts(place, wanted, asked);
  const result: InitResult = {
    root,
    created: [],
    changed: [],
    already: [],
    patterns: null,
    hooks: { state: "skipped", reason: options.hooks === false ? "--no-hooks" : "--agent" },
    agents: [],
    git_hooks: {
      state: "skipped",
      reason: choices.wanted.has(gitHooksKey) ? "not in a git repository" : "--no-hooks",
    },
    nested: [],
    scope: place.own ? "local" : "team",
    imported: null,
    started: false,
  };
  const further = [choices.start, choices.sessions.length > 0].filter(Boolean).length;
  const total = 1 + listOwners(planned).size + further;
  const steps = stepPrinter(output, choices.asked ? null : total, result);
  if (!choices.asked) output.print(output.colors.bold(`Pommel in ${root}`));

  steps.next("Project");
  const wasNamed = isNamed(project);
  await recordHere(project);
  await applyChanges(project);
  steps.done(wasNamed ? "already" : "created", [project.dataDir], "sessions, notes and commits");
  if (languages !== null) {
    const { changed } = setConfig(project, "index.languages", JSON.stringify(languages));
    const said = `index.languages is ${languages.join(",")}`;
    steps.done(changed ? "changed" : "already", [project.configFile], said);
  }
  // A broken configuration, ours or one that was there, should come up now and not at the first search.
  const { config } = loadConfig(project);
  const { listNestedDirectories } = await import("../../../code/files/scan.ts");
  const { createIgnoreRules } = await import("../../../code/files/ignore.ts");
  result.nested = listNestedDirectories(root, createIgnoreRules(root, config));
  for (const line of describeNested(result.nested)) output.note(`      ${line}`);
  result.patterns = await writePatterns(steps);
  if (asked) enableSetups(place);
  const done = await putAndReport(planned, steps);
  result.agents = describeAgents(done);
  await showOrHide(place, steps);
  for (const { part, state, reason } of done) {
    if (part.key === gitHooksKey) result.git_hooks = { state, reason };
    if (part.key === `${defaultAgentName}/hooks`) result.hooks = { state, reason };
  }
  const { problem } = findPommelOnPath();
  if (problem !== null && done.some(({ state }) => state === "installed"))
    steps.warn(`${problem.message} ${problem.hint}`);
  if (choices.start) {
    steps.next("Daemon");
    const quiet = steps.isBrief ? { ...output, print: () => {} } : output;
    const report = await call(startDaemon, { output: quiet }, project);
    result.started = !report.already_running;
    if (steps.isBrief) output.print(`${formatMark("ok", output.colors)} ${describeDaemon(report)}`);
  }
  if (choices.sessions.length > 0) {
    steps.next("Past sessions");
    result.imported = await call(
      importFound,
      { past: choices.sessions, isBrief: steps.isBrief, output },
      project,
    );
  }
  // Whoever had it started was told already.
  const found = output.json || choices.start ? null : await call(readRunning, {}, project);
  const running = found && renderDocument(wordRunningDaemon(found), { screen: output });
  output.result(result, formatNextSteps(choices.start || running !== null, running));
  return result.imported?.interrupted ? interruptedCode : undefined;
}

/** Takes a person's own parts out, so that they can move to the files that everybody shares. @returns their keys */
function takeOwnParts(place: SetupTarget): string[] {
  const taken = listPartsToRemove({ ...place, own: true }).filter((part) => part.take().length > 0);
  return taken.map(({ key }) => key);
}

/** Personal files stay out of `git status`; files to commit have to show up in it. */
async function showOrHide(place: SetupTarget, steps: StepPrinter): Promise<void> {
  try {
    const changed = place.own ? await hideOwnFiles(place) : await unhideFromGit(place.dir);
    const effect = place.own ? "keeps your own files out of git status" : "no longer hides anything";
    if (changed !== null) steps.done("changed", [changed], effect);
  } catch (error) {
    if (!(error instanceof PommelError)) throw error;
    steps.warn(explainError(error));
  }
}

async function parseLanguages(text: string): Promise<string[]> {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const { parseLanguageIds } = await import("../../../code/languages/index.ts");
  return parseLanguageIds(names);
}

/** Without the file the default patterns are in force all the same, so failing here is worth a warning only. */
async function writePatterns(steps: StepPrinter): Promise<string | null> {
  const { ensureGlobalPatterns, locateGlobalPatterns } = await import(
    "../../../redact/patterns/patterns-file.ts"
  );
  const isNew = !existsSync(locateGlobalPatterns());
  try {
    const file = ensureGlobalPatterns();
    steps.ok(`${isNew ? "Created" : "Already set up:"} ${file} (what counts as a secret)`);
    return file;
  } catch (error) {
    steps.warn(explainError(error));
    return null;
  }
}

function describeDaemon({ files_to_index, eta_seconds, already_running }: StartReport): string {
  if (already_running) return "The daemon is running";
  const files = files_to_index === null ? "" : ` ${formatCount(files_to_index, "file")}`;
  const time = eta_seconds === null ? "" : `, about ${formatDuration(eta_seconds * 1000)}`;
  return files_to_index === 0
    ? "Started; the index is up to date"
    : `Started; indexing${files} in the background${time}`;
}

/** @param work what a daemon that runs is at; null: nothing is to be said of it */
function formatNextSteps(isRunning: boolean, work: string | null): string {
  const next = isRunning
    ? ['  pm search "where requests are retried"', "  pm status"]
    : ["  pm daemon start    index the project and keep the index up to date"];
  return [...(work === null ? [] : [`\n${work}`]), `\nNext:\n${next.join("\n")}`].join("\n");
}
